// SPDX-License-Identifier: Apache-2.0
// Small counted loops run four iterations at a time, as ptxas -O3 makes them (measured with ptxas 13.0,
// sm_90: loops of one block with a constant step, up to about two dozen instructions; nvcc has often unrolled
// by four before, which makes it sixteen). For a loop
//   L: body; c += s; @(c before K) bra L
// the code becomes
//   H: @(fewer than four iterations are left) bra L
//   U: body four times; c += 4 s; @(four are left) bra U; @(none is left) bra exit
//   L: as before
// Every test that is left out would have said "go on": with c at least 4 s away from K it cannot reach K in
// three steps.
#include <algorithm>
#include <map>
#include <optional>

#include "ptx/isa/table/form.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/synthesize.h"

namespace gpuloom::ptx {

namespace {

constexpr unsigned kCopies = 4;
constexpr unsigned kMostWeight = 24;
constexpr unsigned kCompositeWeight = 6;

struct Loop {
  uint32_t block = 0, function = 0;
  uint32_t add = 0, compare = 0;  // instructions
  Place counter;
  int64_t step = 0, bound = 0;
  // Rows that only a constant step changes and only addresses read: one step at the end does.
  std::map<int32_t, uint32_t> pointers;  // by place: the instruction that steps it
};

struct Code {
  std::vector<Instr> instrs;
  std::vector<OperandRef> refs;
  std::vector<uint32_t> begin;
  void add(const Instr& in, const std::vector<OperandRef>& list) {
    begin.push_back(static_cast<uint32_t>(refs.size()));
    instrs.push_back(in);
    refs.insert(refs.end(), list.begin(), list.end());
  }
};

class Unroller {
 public:
  explicit Unroller(Draft& d)
      : d_(d), p_(d.program), flow_(build_flow(p_)), live_(find_liveness(p_, flow_)) {}

  bool run() {
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (const auto loop = recognise(b)) loops_[flow_.blocks[b].first] = *loop;
    }
    if (loops_.empty()) return false;
    rewrite();
    return true;
  }

 private:
  const FormUse use_of(uint32_t i) const {
    const InstrSource& source = p_.sources[p_.code[i].source];
    const Instruction& written = source.function->instructions[source.instruction];
    return FormUse(*written.form, written, source.function);
  }
  bool is(uint32_t i, std::string_view mnemonic) const {
    return p_.code[i].kind == InstrKind::kPlain &&
           static_cast<OpClass>(p_.code[i].op_class) != OpClass::none &&
           use_of(i).form().instruction->mnemonic == mnemonic;
  }
  bool constant(Place place, int64_t& value) const {
    uint64_t bits = 0;
    if (!d_.constants.value_of(place, bits)) return false;
    value = static_cast<int32_t>(bits);
    return true;
  }

  // x = x + constant, unguarded, 32 or 64 bits.
  bool steps(uint32_t i, int64_t& by) const {
    const Instr& in = p_.code[i];
    if (!is(i, "add") || in.guard.present() || is_float(in.type) || bits(in.type) < 32 ||
        use_of(i).has(".cc") || use_of(i).has(".sat")) {
      return false;
    }
    if (in.ops[0].at != in.ops[1].at || !in.ops[2].constant()) return false;
    uint64_t raw = 0;
    if (!d_.constants.value_of(in.ops[2], raw)) return false;
    by = bits(in.type) == 32 ? int64_t{static_cast<int32_t>(raw)} : static_cast<int64_t>(raw);
    return by > -(1 << 20) && by < (1 << 20) && by != 0;
  }

  std::optional<Loop> recognise(uint32_t b) {
    const Block& block = flow_.blocks[b];
    const auto& next = flow_.successors[b];
    const Instr& latch = p_.code[block.last];
    if (next.size() != 2 || std::find(next.begin(), next.end(), b) == next.end()) return std::nullopt;
    if (latch.kind != InstrKind::kBranch || static_cast<OpClass>(latch.op_class) == OpClass::brx)
      return std::nullopt;
    if (!latch.guard.present() || latch.guard_negated != 0 || latch.target != block.first)
      return std::nullopt;
    Loop loop;
    loop.block = b;
    loop.function = live_.function_of[b];
    if (!small(block) || !find_compare(block, latch, loop) || !find_step(block, loop) || !bound_is_far(loop))
      return std::nullopt;
    if (is_remainder(block, loop)) return std::nullopt;
    find_pointers(block, loop);
    return loop;
  }

  bool small(const Block& block) const {
    unsigned weight = 0;
    for (uint32_t i = block.first; i < block.last; ++i) {
      const auto op = static_cast<OpClass>(p_.code[i].op_class);
      const InstrKind kind = p_.code[i].kind;
      if (kind == InstrKind::kReadClock || kind == InstrKind::kSleep || kind == InstrKind::kTrap ||
          kind == InstrKind::kMbarrier)
        return false;
      weight += op == OpClass::none || op == OpClass::mov      ? 0
                : info(op).composite() && op != OpClass::add64 ? kCompositeWeight
                                                               : 1;
    }
    return weight <= kMostWeight;
  }

  uint32_t only_def(const Block& block, Place row) const {
    uint32_t found = UINT32_MAX;
    for (uint32_t i = block.first; i <= block.last; ++i) {
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines || p_.refs[r].place.at != row.at) continue;
        if (found != UINT32_MAX) return UINT32_MAX;
        found = i;
      }
    }
    return found;
  }

  // setp.{ne,lt,gt}.s32 p, counter, constant; p is the latch's alone.
  bool find_compare(const Block& block, const Instr& latch, Loop& loop) const {
    const uint32_t i = only_def(block, latch.guard);
    if (i == UINT32_MAX || !is(i, "setp") || p_.code[i].guard.present()) return false;
    const Instr& in = p_.code[i];
    if (in.type != Type::kS32 || in.ops[1].present() || !in.ops[2].present() || in.ops[2].constant())
      return false;
    const FormUse use = use_of(i);
    if (!(use.has(".ne") || use.has(".lt") || use.has(".gt")) || use.has(".and") || use.has(".or") ||
        use.has(".xor"))
      return false;
    if (!constant(in.ops[3], loop.bound)) return false;
    const uint32_t f = loop.function;
    const uint32_t row = live_.number(f, latch.guard);
    for (const uint32_t s : flow_.successors[loop.block]) {
      if (live_.live_in[s].has(row)) return false;
    }
    for (uint32_t k = block.first; k < block.last; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (!p_.refs[r].defines && p_.refs[r].place.at == latch.guard.at) return false;
      }
    }
    loop.compare = i;
    loop.counter = in.ops[2];
    return true;
  }

  bool find_step(const Block& block, Loop& loop) const {
    const uint32_t i = only_def(block, loop.counter);
    if (i == UINT32_MAX || i > loop.compare || !steps(i, loop.step) ||
        p_.code[i].ops[0].at != loop.counter.at)
      return false;
    loop.add = i;
    // The counter must serve the loop alone: its four steps become one.
    for (uint32_t k = block.first; k <= block.last; ++k) {
      for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
        if (k != loop.add && k != loop.compare && p_.refs[r].place.at == loop.counter.at) return false;
      }
    }
    const FormUse use = use_of(loop.compare);
    return use.has(".ne") || (use.has(".lt") && loop.step > 0) || (use.has(".gt") && loop.step < 0);
  }

  static bool bound_is_far(const Loop& loop) {
    const int64_t limit = loop.bound - int64_t{kCopies} * loop.step;
    return limit > INT32_MIN && limit < INT32_MAX;
  }

  // nvcc's loop for the rest behind an unrolled one: up to three iterations, counted from `n & 3`.
  bool is_remainder(const Block& block, const Loop& loop) const {
    const FunctionCode& code = p_.functions[loop.function];
    Place row = loop.counter;
    for (unsigned hops = 0; hops < 3; ++hops) {
      uint32_t def = UINT32_MAX;
      for (uint32_t i = code.entry; i < code.end; ++i) {
        if (i >= block.first && i <= block.last) continue;
        for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
          if (p_.refs[r].defines && p_.refs[r].place.at == row.at) def = i;
        }
      }
      if (def == UINT32_MAX) return false;
      int64_t mask = 0;
      if (is(def, "and")) return constant(p_.code[def].ops[2], mask) && mask >= 0 && mask < int64_t{kCopies};
      if (!(is(def, "mov") || is(def, "neg")) || p_.code[def].ops[1].constant()) return false;
      row = p_.code[def].ops[1];
    }
    return false;
  }

  // With a bound that is constant too, the trip count is known.
  bool starts_at_constant(const Block& block, const Loop& loop) const {
    const FunctionCode& code = p_.functions[loop.function];
    for (uint32_t i = code.entry; i < code.end; ++i) {
      if (i >= block.first && i <= block.last) continue;
      for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
        if (!p_.refs[r].defines || p_.refs[r].place.at != loop.counter.at) continue;
        if (!is(i, "mov") || !p_.code[i].ops[1].constant()) return false;
      }
    }
    return true;
  }

  void find_pointers(const Block& block, Loop& loop) const {
    for (uint32_t i = block.first; i < block.last; ++i) {
      int64_t by = 0;
      if (i == loop.add || !steps(i, by) || only_def(block, p_.code[i].ops[0]) != i) continue;
      const int32_t at = p_.code[i].ops[0].at;
      bool only_addresses = true;
      for (uint32_t k = block.first; k <= block.last; ++k) {
        for (uint32_t r = p_.ref_begin[k]; r < p_.ref_begin[k + 1]; ++r) {
          if (k == i || p_.refs[r].place.at != at) continue;
          const bool plain = p_.code[k].kind == InstrKind::kLoad || p_.code[k].kind == InstrKind::kStore;
          only_addresses = only_addresses && plain && p_.refs[r].address;
        }
      }
      if (only_addresses) loop.pointers[at] = i;
    }
  }

  // ---- rewriting
  std::vector<OperandRef> refs_of(uint32_t i) const {
    return {p_.refs.begin() + p_.ref_begin[i], p_.refs.begin() + p_.ref_begin[i + 1]};
  }

  void rewrite() {
    Code out;
    std::vector<uint32_t> moved(p_.code.size() + 1);  // where jumps to an instruction go
    std::vector<uint32_t> bodies(p_.code.size(), UINT32_MAX);
    std::vector<std::pair<uint32_t, uint32_t>> exits;  // (new branch, old target)
    for (uint32_t i = 0; i < p_.code.size(); ++i) {
      moved[i] = static_cast<uint32_t>(out.instrs.size());
      if (const auto it = loops_.find(i); it != loops_.end()) emit_unrolled(it->second, out, exits);
      bodies[i] = static_cast<uint32_t>(out.instrs.size());
      out.add(p_.code[i], refs_of(i));
    }
    moved[p_.code.size()] = static_cast<uint32_t>(out.instrs.size());
    for (uint32_t i = 0; i < p_.code.size(); ++i) {
      Instr& in = out.instrs[bodies[i]];
      if (in.kind != InstrKind::kBranch && in.kind != InstrKind::kCall) continue;
      const bool back = loops_.count(in.target) != 0 && flow_.block_of[i] == loops_.at(in.target).block;
      in.target = back ? bodies[in.target] : moved[in.target];
    }
    for (const auto& [branch, target] : exits) out.instrs[branch].target = moved[target];
    for (auto& table : p_.branch_tables) {
      for (uint32_t& target : table) target = moved[target];
    }
    for (FunctionCode& f : p_.functions) {
      f.entry = moved[f.entry];
      f.end = moved[f.end];
    }
    out.begin.push_back(static_cast<uint32_t>(out.refs.size()));
    p_.code = std::move(out.instrs);
    p_.refs = std::move(out.refs);
    p_.ref_begin = std::move(out.begin);
  }

  // c is so far from the bound that four iterations follow.
  void emit_test(const Loop& loop, Place out_row, Code& out) {
    const Instr& like = p_.code[loop.compare];
    Instr test =
        synthesize("setp", {loop.step > 0 ? ".le" : ".ge", ".s32"}, {Type::kPred, Type::kS32, Type::kS32});
    test.ops[0] = out_row;
    test.ops[1] = {};
    test.ops[2] = loop.counter;
    test.ops[3] = d_.constants.row(4, static_cast<uint64_t>(loop.bound - int64_t{kCopies} * loop.step));
    test.source = like.source;
    out.add(test,
            {OperandRef{out_row, 0, true, false, 0, 0xff}, OperandRef{loop.counter, 4, false, false, 2, 0xff},
             OperandRef{test.ops[3], 4, false, false, 3, 0xff}});
  }

  uint32_t emit_branch(const Loop& loop, Place condition, bool negated, uint32_t target, Code& out) {
    Instr branch = p_.code[flow_.blocks[loop.block].last];
    branch.guard = condition;
    branch.guard_negated = negated ? 1 : 0;
    branch.target = target;
    out.add(branch, {OperandRef{condition, 0, false, false, kInstrPlaces, 0xff}});
    return static_cast<uint32_t>(out.instrs.size() - 1);
  }

  void emit_step(uint32_t i, int64_t by, Code& out) {
    Instr in = p_.code[i];
    const unsigned width = bytes(in.type);
    in.ops[2] = d_.constants.row(width, static_cast<uint64_t>(by));
    std::vector<OperandRef> refs = refs_of(i);
    for (OperandRef& r : refs) {
      if (r.operand == 2) r.place = in.ops[2];
    }
    out.add(in, refs);
  }

  void emit_unrolled(const Loop& loop, Code& out, std::vector<std::pair<uint32_t, uint32_t>>& exits) {
    const Block& block = flow_.blocks[loop.block];
    const Place condition = p_.code[block.last].guard;
    emit_test(loop, condition, out);
    const uint32_t to_rest = emit_branch(loop, condition, true, 0, out);
    out.instrs[to_rest].skips_unrolled = starts_at_constant(block, loop) ? 0 : 1;
    const uint32_t top = static_cast<uint32_t>(out.instrs.size());
    for (unsigned copy = 0; copy < kCopies; ++copy) emit_copy(loop, copy, out);
    emit_step(loop.add, loop.step * kCopies, out);
    for (const auto& [at, i] : loop.pointers) {
      int64_t by = 0;
      steps(i, by);
      emit_step(i, by * kCopies, out);
    }
    emit_test(loop, condition, out);
    emit_branch(loop, condition, false, top, out);
    out.add(p_.code[loop.compare], refs_of(loop.compare));
    exits.emplace_back(emit_branch(loop, condition, true, 0, out), block.last + 1);
    out.instrs[to_rest].target = static_cast<uint32_t>(out.instrs.size());
  }

  void emit_copy(const Loop& loop, unsigned copy, Code& out) {
    const Block& block = flow_.blocks[loop.block];
    std::map<int32_t, Place> renamed;
    if (copy + 1 < kCopies) rename(loop, renamed);
    for (uint32_t i = block.first; i < block.last; ++i) {
      if (i == loop.add || i == loop.compare) continue;
      if (const auto it = loop.pointers.find(p_.code[i].ops[0].at);
          it != loop.pointers.end() && it->second == i)
        continue;
      Instr in = p_.code[i];
      std::vector<OperandRef> refs = refs_of(i);
      copy_vectors(in, refs);
      for (OperandRef& r : refs) {
        if (const auto p = loop.pointers.find(r.place.at); p != loop.pointers.end() && r.address) {
          int64_t by = 0;
          steps(p->second, by);
          in.imm += by * (copy + (i > p->second ? 1 : 0));
        }
        const auto it = renamed.find(r.place.at);
        if (it == renamed.end()) continue;
        r.place = it->second;
        if (r.operand == kInstrPlaces) {
          in.guard = r.place;
        } else if (r.element != 0xff) {
          p_.extra[static_cast<uint32_t>(in.ops[r.operand].at) + r.element] = r.place;
        } else {
          in.ops[r.operand] = r.place;
        }
      }
      out.add(in, refs);
    }
  }

  // Vector operands get elements of their own in each copy.
  void copy_vectors(Instr& in, const std::vector<OperandRef>& refs) {
    std::map<unsigned, std::pair<uint32_t, uint32_t>> lists;  // operand: first element, count
    for (const OperandRef& r : refs) {
      if (r.element == 0xff || r.operand >= kInstrPlaces) continue;
      auto& list = lists[r.operand];
      list.first = static_cast<uint32_t>(in.ops[r.operand].at);
      list.second = std::max<uint32_t>(list.second, r.element + 1u);
    }
    for (const auto& [operand, list] : lists) {
      const auto at = static_cast<uint32_t>(p_.extra.size());
      for (uint32_t k = 0; k < list.second; ++k) {
        const Place element = p_.extra[list.first + k];
        p_.extra.push_back(element);
      }
      if (in.extra == list.first) in.extra = at;
      in.ops[operand] = {static_cast<int32_t>(at)};
    }
  }

  // What an iteration makes and uses alone gets rows of its own in each copy, so that copies can overlap.
  void rename(const Loop& loop, std::map<int32_t, Place>& renamed) {
    const Block& block = flow_.blocks[loop.block];
    FunctionDraft& f = d_.functions[loop.function];
    for (uint32_t r = p_.ref_begin[block.first]; r < p_.ref_begin[block.last + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.defines || renamed.count(ref.place.at) != 0) continue;
      if (live_.live_in[loop.block].has(live_.number(loop.function, ref.place))) continue;
      const unsigned width = live_.rows[loop.function].bytes[live_.number(loop.function, ref.place)];
      renamed[ref.place.at] = Place::reg(f.take_row(width == 0 ? 4 : width));
    }
    p_.functions[loop.function].frame_bytes = (f.frame_bytes + 63) / 64 * 64;
  }

  Draft& d_;
  Program& p_;
  Flow flow_;
  Liveness live_;
  std::map<uint32_t, Loop> loops_;  // by first instruction
};

}  // namespace

void unroll_loops(Draft& d) { Unroller(d).run(); }

}  // namespace gpuloom::ptx
