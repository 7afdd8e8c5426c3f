// SPDX-License-Identifier: Apache-2.0
// What follows a skipped block moves in front of the branch that skips it, as ptxas 13.0 has it (sm_90a):
//
//   @p bra J; X; J: ld y; setp q, y; @q bra ...   becomes   ld y; setp q, y; @p bra J; X; J: @q bra ...
//
// Measured with 40 kernels of two to ten such blocks. It happens if X is one block of machine code: of any
// length (4 to 200 FFMA), but never over a loop, an if-else, or what ptxas expands with a branch (roots and
// divisions that are exact). Loads of global and shared memory move, unless X writes there, and the
// arithmetic that the conditions and loads of J need. Values that J itself does not read stay in it: the
// steps of a loop's pointers, sums for later blocks. So unrolled loops with a condition load all their turns
// at once (cutoff_lattice of bench/silicon/benchmarks). A comparison moves only as far as there are
// predicates for it: of 14 conditions in a row seven stand in front of the first branch, and behind each
// branch the next one (8, 10 and 14 of them, of a loop's counter and of the thread, where ptxas keeps an
// eighth in a register; 16 beside a predicate that lives on, where six stand in front).
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "ptx/ir/predicates.h"
#include "ptx/isa/table/op_traits.h"
#include "ptx/isa/table/use_of.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/instr_questions.h"
#include "ptx/passes/late.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

namespace {

class Lifting {
 public:
  explicit Lifting(Program& p)
      : p_(p),
        flow_(build_flow(p)),
        live_(find_liveness(p, flow_)),
        lanes_(find_uniformity(p, flow_, live_, all_post_dominators(flow_), Exchanges::kUniform)),
        in_loop_(flow_.blocks.size(), 0),
        lifted_(p.code.size(), 0) {
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      for (const uint32_t back : flow_.successors[b]) {
        if (back <= b) std::fill(in_loop_.begin() + back, in_loop_.begin() + b + 1, 1);
      }
    }
    for (const Block& block : flow_.blocks) {
      std::vector<uint32_t>& code = content_.emplace_back();
      for (uint32_t i = block.first; i <= block.last; ++i) code.push_back(i);
    }
  }

  void run() {
    for (uint32_t b = static_cast<uint32_t>(flow_.blocks.size()); b-- > 0;) {
      if (skips_one_block(b) && (diverges(b) || in_loop_[b] != 0)) lift(b);
    }
    Edit edit(p_);
    bool changed = false;
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      for (const uint32_t i : content_[b]) {
        if (lifted_[i] == 0) continue;
        changed = true;
        edit.erase[i] = 1;
        edit.insert.push_back({flow_.blocks[b].last, p_.code[i], refs_of(p_, i), true});
      }
    }
    if (changed) apply(p_, edit);
  }

 private:
  bool diverges(uint32_t b) const { return lanes_.divergent_branch[b] != 0; }

  bool skips_one_block(uint32_t b) const {
    const Instr& branch = p_.code[flow_.blocks[b].last];
    if (!jumps_to_label(branch) || !branch.guard.present() || b + 2 >= flow_.blocks.size()) return false;
    const uint32_t skipped = b + 1, join = b + 2;
    if (flow_.block_of[branch.target] != join || flow_.successors[skipped].size() != 1) return false;
    if (flow_.successors[skipped][0] != join || flow_.predecessors[skipped].size() != 1) return false;
    return flow_.predecessors[join].size() == 2 &&
           std::ranges::all_of(content_[skipped], [&](uint32_t i) { return stays_one_block(p_.code[i]); });
  }

  static bool stays_one_block(const Instr& in) {
    const auto op = static_cast<OpClass>(in.op_class);
    switch (in.kind) {
      case InstrKind::kPlain:
      case InstrKind::kLoad:
      case InstrKind::kStore:
      case InstrKind::kAtomic:
        return !is(op, kCallsSlowPath);
      case InstrKind::kBranch:
        return !in.guard.present();
      default:
        return false;
    }
  }

  // What an instruction that moves up would pass.
  struct Passed {
    std::set<int32_t> reads, writes;  // rows
    std::vector<uint32_t> stores;
    bool memory = false;  // no load passes
  };

  void pass(Passed& passed, uint32_t i) const {
    const Instr& in = p_.code[i];
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      (p_.refs[r].defines ? passed.writes : passed.reads).insert(p_.refs[r].place.at);
    if (in.kind == InstrKind::kStore || in.kind == InstrKind::kAtomic)
      passed.stores.push_back(i);
    else if (in.kind != InstrKind::kPlain && (in.kind != InstrKind::kLoad || arrives_late(p_, in)))
      passed.memory = passed.memory || in.kind != InstrKind::kBranch;
  }

  void lift(uint32_t b) {
    std::vector<uint32_t>& above = content_[b];
    std::vector<uint32_t>& join = content_[b + 2];
    Passed passed;
    pass(passed, above.back());
    for (const uint32_t i : content_[b + 1]) pass(passed, i);
    const std::vector<uint8_t> needed = diverges(b) ? read_in(join) : needed_early(join);
    const std::vector<uint8_t> stays = without_predicates(b, join, needed);
    std::vector<uint32_t> stay, rise;
    bool over = false;
    for (size_t k = 0; k < join.size(); ++k) {
      const uint32_t i = join[k];
      if (!over && stays[k] == 0 && moves(i) && !depends(i, passed) && needed[k] != 0) {
        rise.push_back(i);
        lifted_[i] = 1;
        continue;
      }
      stay.push_back(i);
      pass(passed, i);
      over = over || ends_lifting(p_.code[i]);
    }
    above.insert(above.end() - 1, rise.begin(), rise.end());
    join = std::move(stay);
  }

  bool compares(uint32_t i) const {
    return std::any_of(p_.refs.begin() + p_.ref_begin[i], p_.refs.begin() + p_.ref_begin[i + 1],
                       [](const OperandRef& ref) { return ref.defines && ref.bytes == 0; });
  }

  // By place in `join`: comparisons for which there is no predicate at the end of block b, beside that of its
  // branch and those that live on, and what only they read.
  std::vector<uint8_t> without_predicates(uint32_t b, const std::vector<uint32_t>& join,
                                          const std::vector<uint8_t>& needed) const {
    const std::vector<uint8_t>& bytes = live_.rows[live_.function_of[b]].bytes;
    uint32_t taken = 1;
    live_.live_out[b].for_each([&](uint32_t row) { taken += bytes[row] == 0 ? 1 : 0; });
    std::vector<uint8_t> stays(join.size(), 0);
    for (size_t k = 0; k < join.size(); ++k) {
      if (needed[k] != 0 && compares(join[k])) stays[k] = taken++ < kPredicateRegisters ? 0 : 1;
    }
    std::set<int32_t> theirs, others;
    for (size_t k = join.size(); k-- > 0;) {
      if (p_.code[join[k]].kind == InstrKind::kPlain && defines_any(join[k], theirs) &&
          !defines_any(join[k], others))
        stays[k] = 1;
      reads_of(join[k], stays[k] != 0 ? theirs : others);
    }
    return stays;
  }

  // Nothing rises above a barrier or a clock read, nor above what machine code has a branch for.
  static bool ends_lifting(const Instr& in) {
    switch (in.kind) {
      case InstrKind::kPlain:
        return expands(in);
      case InstrKind::kLoad:
      case InstrKind::kStore:
      case InstrKind::kAtomic:
      case InstrKind::kWarpSync:
        return false;
      default:
        return true;
    }
  }

  static bool expands(const Instr& in) {
    return in.kind == InstrKind::kPlain && is(static_cast<OpClass>(in.op_class), kCallsSlowPath);
  }

  bool moves(uint32_t i) const {
    const Instr& in = p_.code[i];
    if (takes_no_work(in) || ends_block(in)) return false;
    if (in.kind == InstrKind::kLoad) return !arrives_late(p_, in);
    if (in.kind != InstrKind::kPlain || expands(in)) return false;
    const FormUse use = use_of(p_, in);
    return !uses_carry(use) && use.form().instruction->mnemonic != "activemask";
  }

  bool depends(uint32_t i, const Passed& passed) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r) {
      const int32_t at = p_.refs[r].place.at;
      if (passed.writes.contains(at) || (p_.refs[r].defines && passed.reads.contains(at))) return true;
    }
    if (p_.code[i].kind != InstrKind::kLoad) return false;
    return passed.memory ||
           std::ranges::any_of(passed.stores, [&](uint32_t store) { return may_meet(i, store, passed); });
  }

  // Whether a load may read what a store or an atomic writes.
  bool may_meet(uint32_t load, uint32_t store, const Passed& passed) const {
    const Instr &a = p_.code[load], &b = p_.code[store];
    if (a.space == Space::kParam || a.space == Space::kConst || use_of(p_, a).has(".nc")) return false;
    const Space from = space_of(a), to = space_of(b);
    if (from != to) return from == Space::kGeneric || to == Space::kGeneric;
    const OperandRef *at_a = address_of(load), *at_b = address_of(store);
    const bool comparable = b.kind == InstrKind::kStore && at_a != nullptr && at_b != nullptr &&
                            at_a->place.at == at_b->place.at && !passed.writes.contains(at_a->place.at);
    return !comparable || (a.imm < b.imm + bytes_of(b) && b.imm < a.imm + bytes_of(a));
  }

  static Space space_of(const Instr& in) {
    return in.space == Space::kSharedCluster ? Space::kShared : in.space;
  }

  const OperandRef* address_of(uint32_t i) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (p_.refs[r].address) return &p_.refs[r];
    return nullptr;
  }

  static int64_t bytes_of(const Instr& in) {
    return int64_t{in.type == Type::kNone ? 16 : bytes(in.type)} * std::max<int64_t>(1, in.vec);
  }

  // By place in a block: loads, and values that the block itself reads.
  std::vector<uint8_t> read_in(const std::vector<uint32_t>& block) const {
    std::set<int32_t> read;
    return backwards(block, [&](uint32_t i) {
      const bool needed = defines_any(i, read) || is_load(i);
      reads_of(i, read);
      return needed;
    });
  }

  // By place in a block: loads, not of constants, and what their addresses and the block's branch are made
  // of.
  std::vector<uint8_t> needed_early(const std::vector<uint32_t>& block) const {
    std::set<int32_t> read;
    return backwards(block, [&](uint32_t i) {
      const Space space = p_.code[i].space;
      const bool needed = (is_load(i) && space != Space::kConst && space != Space::kParam) ||
                          ends_block(p_.code[i]) || defines_any(i, read);
      if (needed) reads_of(i, read);
      return needed;
    });
  }

  template <class Needed>
  std::vector<uint8_t> backwards(const std::vector<uint32_t>& block, Needed needed) const {
    std::vector<uint8_t> out(block.size(), 0);
    for (size_t k = block.size(); k-- > 0;) out[k] = needed(block[k]) || lifted_[block[k]] != 0 ? 1 : 0;
    return out;
  }

  bool is_load(uint32_t i) const { return p_.code[i].kind == InstrKind::kLoad; }

  bool defines_any(uint32_t i, const std::set<int32_t>& rows) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (p_.refs[r].defines && rows.contains(p_.refs[r].place.at)) return true;
    return false;
  }

  void reads_of(uint32_t i, std::set<int32_t>& rows) const {
    for (uint32_t r = p_.ref_begin[i]; r < p_.ref_begin[i + 1]; ++r)
      if (!p_.refs[r].defines) rows.insert(p_.refs[r].place.at);
  }

  Program& p_;
  Flow flow_;
  Liveness live_;
  Uniformity lanes_;
  std::vector<uint8_t> in_loop_;                // by block
  std::vector<uint8_t> lifted_;                 // by instruction
  std::vector<std::vector<uint32_t>> content_;  // by block: its instructions
};

}  // namespace

void lift_over_skipped_blocks(Program& p) { Lifting(p).run(); }

}  // namespace gpuloom::ptx
