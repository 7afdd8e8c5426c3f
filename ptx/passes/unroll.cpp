// SPDX-License-Identifier: Apache-2.0
// Counted loops run four iterations at a time, as ptxas -O3 makes them (measured with ptxas 13.0, sm_90; nvcc
// has often unrolled by four before, which makes it sixteen). For a loop
//   L: body; c += s; @(c before K) bra L
// the code becomes, as its SASS shows,
//   H: (for `ne`:) @(c is not before K) bra L
//      first = true; @(three more iterations do not follow this one) bra R; first = false; limit = K - 3 s
//   U: body four times; c += 4 s; @(c before limit) bra U
//   R: @(one more does not follow) bra S; body twice; c += 2 s; first = false
//   S: @(not first and c is not before K) bra exit
//   L: as before
// The distance K - c is computed with saturation, so the tests say the truth for every c and K. Where the
// comparison is unsigned ptxas runs the first iteration of a loop that begins beyond its bound on its own.
#include <algorithm>
#include <map>

#include "ptx/isa/table/form.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/loop_writer.h"

namespace gpuloom::ptx {

namespace {

class Unroller {
 public:
  Unroller(Draft& d, Unrolled wanted)
      : d_(d),
        p_(d.program),
        flow_(build_flow(p_)),
        live_(find_liveness(p_, flow_)),
        finder_(d, flow_, live_, wanted) {}

  // Returns whether there was a loop to unroll.
  bool run() {
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (auto loop = finder_.recognise(b)) loops_[loop->region.first] = std::move(*loop);
    }
    if (!loops_.empty()) rewrite();
    return !loops_.empty();
  }

 private:
  void rewrite() {
    Code out;
    std::vector<uint32_t> moved(p_.code.size() + 1);  // where jumps to an instruction go
    std::vector<uint32_t> bodies(p_.code.size(), UINT32_MAX);
    for (uint32_t i = 0; i < p_.code.size(); ++i) {
      moved[i] = out.next();
      if (const auto it = loops_.find(i); it != loops_.end()) {
        emit_unrolled(it->second, out);
        if (whole(it->second)) {  // nothing is left for the loop itself
          const uint32_t last = it->second.region.last;
          for (; i < last; ++i) moved[i + 1] = out.next();
          continue;
        }
      }
      bodies[i] = out.next();
      out.add(p_.code[i], refs_of(p_, i));
    }
    moved[p_.code.size()] = out.next();
    for (uint32_t i = 0; i < p_.code.size(); ++i) {
      if (bodies[i] == UINT32_MAX) continue;
      Instr& in = out.instrs[bodies[i]];
      if (in.kind != InstrKind::kBranch && in.kind != InstrKind::kCall) continue;
      const bool back = loops_.count(in.target) != 0 && i == loops_.at(in.target).region.last;
      in.target = back ? bodies[in.target] : moved[in.target];
    }
    for (const auto& [branch, target] : exits_) out.instrs[branch].target = moved[target];
    for (auto& table : p_.branch_tables) {
      for (uint32_t& target : table) target = moved[target];
    }
    for (FunctionCode& f : p_.functions) f.entry = moved[f.entry], f.end = moved[f.end];
    out.begin.push_back(out.next() == 0 ? 0 : static_cast<uint32_t>(out.refs.size()));
    p_.code = std::move(out.instrs);
    p_.refs = std::move(out.refs);
    p_.ref_begin = std::move(out.begin);
  }

  // Nothing is left over for the loop as it was.
  static bool whole(const Loop& loop) { return loop.wholly || loop.turns_at_once != 0; }

  void emit_step(uint32_t i, int64_t by, Code& out) {
    Instr in = p_.code[i];
    in.ops[2] = d_.constants.row(bytes(in.type), static_cast<uint64_t>(by));
    std::vector<OperandRef> refs = refs_of(p_, i);
    for (OperandRef& r : refs) {
      if (r.operand == 2) r.place = in.ops[2];
    }
    out.add(in, refs);
  }

  // ---- the parts
  void emit_unrolled(const Loop& loop, Code& out) {
    if (loop.wholly) return emit_copies(loop, static_cast<unsigned>(*loop.trips), out);
    if (loop.turns_at_once != 0) return emit_rounds(loop, out);
    const Place condition = p_.code[loop.region.last].guard;
    LoopWriter w(d_, loop, out);
    const Place first = w.row(0);
    uint32_t to_loop = UINT32_MAX;
    if (loop.relation == Relation::kNe) {
      w.compare(condition, w.direction(), w.signed_type(), loop.counter, loop.bound);
      to_loop = w.branch(condition, true, 0);
    }
    w.set(first, true);
    if (!is_signed(loop.type) && loop.relation != Relation::kNe) emit_beyond(loop, first, w, out);
    w.test_far(condition, kUnrollCopies - 1);
    const uint32_t to_pair = w.branch(condition, true, 0);
    w.set(first, false);
    Place limit;
    if (loop.constant_bound) {
      limit = w.number(*loop.constant_bound - int64_t{kUnrollCopies - 1} * loop.step);
    } else {
      limit = w.row(bytes(loop.type));
      w.subtract(limit, loop.bound, w.number(int64_t{kUnrollCopies - 1} * loop.step), false);
    }
    const uint32_t top = out.next();
    emit_copies(loop, kUnrollCopies, out);
    w.compare(condition, w.direction(), w.signed_type(), loop.counter, limit);
    w.branch(condition, false, top);
    out.instrs[to_pair].target = out.next();
    w.test_far(condition, 1);
    const uint32_t to_rest = w.branch(condition, true, 0);
    emit_copies(loop, 2, out);
    w.set(first, false);
    out.instrs[to_rest].target = out.next();
    w.compare(condition, loop.relation, loop.type, loop.counter, loop.bound, ".or", first);
    exits_.emplace_back(w.branch(condition, true, 0), loop.region.last + 1);
    if (to_loop != UINT32_MAX) out.instrs[to_loop].target = out.next();
  }

  // Whole rounds of so many turns, the turns that are left over first.
  void emit_rounds(const Loop& loop, Code& out) {
    const Place condition = p_.code[loop.region.last].guard;
    LoopWriter w(d_, loop, out);
    if (loop.turns_apart != 0) emit_copies(loop, loop.turns_apart, out);
    const uint32_t top = out.next();
    emit_copies(loop, loop.turns_at_once, out);
    if (*loop.trips < int64_t{2} * loop.turns_at_once) return;
    w.compare(condition, loop.relation, loop.type, loop.counter, loop.bound);
    w.branch(condition, false, top);
  }

  // A loop that begins beyond its bound runs once all the same.
  void emit_beyond(const Loop& loop, Place first, LoopWriter& w, Code& out) {
    const Place condition = p_.code[loop.region.last].guard;
    w.compare(condition, loop.relation, loop.type, loop.counter, loop.bound);
    const uint32_t skip = w.branch(condition, false, 0);
    emit_copies(loop, 1, out);
    w.set(first, false);
    out.instrs[skip].target = out.next();
  }

  void emit_copies(const Loop& loop, unsigned count, Code& out) {
    Place counter = loop.counter;
    for (unsigned copy = 0; copy < count; ++copy) emit_copy(loop, copy, count, counter, out);
    if (!loop.counter_used) emit_step(loop.add, loop.step * count, out);
    for (const auto& [at, i] : loop.pointers) {
      int64_t by = 0;
      is_step(d_, i, by);
      emit_step(i, by * count, out);
    }
  }

  // The counter of the next copy, each from the first one's value.
  void emit_counter(const Loop& loop, unsigned copy, unsigned count, Place& counter, Code& out) {
    LoopWriter w(d_, loop, out);
    Instr in = p_.code[loop.add];
    std::vector<OperandRef> refs = refs_of(p_, loop.add);
    counter = copy + 1 < count ? w.row(bytes(loop.type)) : loop.counter;
    in.ops[0] = counter;
    in.ops[2] = w.number(loop.step * (copy + 1));
    for (OperandRef& r : refs) {
      if (r.defines) r.place = counter;
      if (r.operand == 2) r.place = in.ops[2];
    }
    out.add(in, refs);
  }

  void emit_copy(const Loop& loop, unsigned copy, unsigned count, Place& counter, Code& out) {
    std::map<int32_t, Place> renamed;
    if (copy + 1 < count) rename(loop, renamed, out);
    const uint32_t first = loop.region.first, last = loop.region.last;
    std::vector<uint32_t> at;  // by instruction of the loop: where jumps to it go in this copy
    std::vector<uint32_t> branches;
    for (uint32_t i = first; i < last; ++i) {
      at.push_back(out.next());
      if (i == loop.compare) continue;
      if (i == loop.add) {
        if (loop.counter_used) emit_counter(loop, copy, count, counter, out);
        continue;
      }
      const int32_t made = p_.code[i].ops[0].at;
      if (const auto it = loop.pointers.find(made); it != loop.pointers.end() && it->second == i) continue;
      if (const auto it = loop.sums.find(made); copy != 0 && it != loop.sums.end() && it->second.add == i)
        continue;
      Instr in = p_.code[i];
      std::vector<OperandRef> refs = refs_of(p_, i);
      copy_vectors(in, refs);
      for (OperandRef& r : refs) {
        if (r.address) in.imm += way(loop, i, r.place, copy);
        const auto it = renamed.find(r.place.at);
        if (r.place.at == loop.counter.at) {
          r.place = counter;
        } else if (it != renamed.end()) {
          r.place = it->second;
        } else {
          continue;
        }
        write_place(p_, in, r);
      }
      if (in.kind == InstrKind::kBranch) branches.push_back(out.next());
      out.add(in, refs);
    }
    at.push_back(out.next());
    for (const uint32_t branch : branches) {
      uint32_t& target = out.instrs[branch].target;
      if (target < first || target > last)
        exits_.emplace_back(branch, target);
      else
        target = at[target - first];
    }
  }

  // How far an address of instruction i in this copy is from where its register points.
  int64_t way(const Loop& loop, uint32_t i, Place place, unsigned copy) const {
    uint32_t step = 0, made = i;
    if (const auto p = loop.pointers.find(place.at); p != loop.pointers.end()) {
      step = p->second;
    } else if (const auto sum = loop.sums.find(place.at); sum != loop.sums.end()) {
      step = sum->second.step;
      made = sum->second.add;
    } else {
      return 0;
    }
    int64_t by = 0;
    is_step(d_, step, by);
    return by * (copy + (made > step ? 1 : 0));
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
  void rename(const Loop& loop, std::map<int32_t, Place>& renamed, Code& out) {
    LoopWriter w(d_, loop, out);
    const LoopRegion& region = loop.region;
    for (uint32_t r = p_.ref_begin[region.first]; r < p_.ref_begin[region.last + 1]; ++r) {
      const OperandRef& ref = p_.refs[r];
      if (!ref.defines || renamed.count(ref.place.at) != 0 || loop.sums.count(ref.place.at) != 0) continue;
      const uint32_t number = live_.number(loop.function, ref.place);
      if (live_.live_in[region.header].has(number) || lives_at_other_exits(live_, region, number)) continue;
      renamed[ref.place.at] = w.row(live_.rows[loop.function].bytes[live_.number(loop.function, ref.place)]);
    }
  }

  Draft& d_;
  Program& p_;
  Flow flow_;
  Liveness live_;
  LoopFinder finder_;
  std::map<uint32_t, Loop> loops_;                    // by first instruction
  std::vector<std::pair<uint32_t, uint32_t>> exits_;  // (new branch, old target)
};

}  // namespace

// A loop around one that has become straight code may become so too.
void unroll_loops(Draft& d) {
  while (Unroller(d, Unrolled::kWholly).run()) {
  }
  Unroller(d, Unrolled::kInPart).run();
}

}  // namespace gpuloom::ptx
