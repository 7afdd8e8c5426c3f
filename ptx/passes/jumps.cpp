// SPDX-License-Identifier: Apache-2.0
// Jumps as ptxas lays them out. nvcc writes a condition and its opposite as two jumps,
//   @p bra A; bra B; A: ...
// of which ptxas makes one, @!p bra B (SASS of decision_tree, wmma_gemm), a jump to a jump goes to where that
// one goes, and a jump to what follows vanishes. A guarded jump to a jump with the same guard goes where that
// one goes, and lanes that fell through the first do not ask the same again: `@p bra A; ...; A: @p bra B`
// skips both pieces at once (SASS of bulk_store: one branch around copy, commit and wait of thread 0).
#include <algorithm>

#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/flow.h"
#include "ptx/passes/instr_questions.h"

namespace gpuloom::ptx {

namespace {

class JumpSimplifier {
 public:
  explicit JumpSimplifier(Program& p) : p_(p), edit_(p), met_(p.code.size() + 1, 0) {
    for (Instr& in : p_.code) {
      if (jumps_to_label(in)) in.target = final_target(in);
    }
    for (const Instr& in : p_.code) {
      if (in.kind == InstrKind::kBranch || in.kind == InstrKind::kCall) met_[in.target] = 1;
    }
    for (const auto& table : p_.branch_tables) {
      for (const uint32_t target : table) met_[target] = 1;
    }
    for (const FunctionCode& f : p_.functions) met_[f.entry] = 1;
  }

  bool run() {
    bool changed = false;
    for (uint32_t i = 0; i + 1 < p_.code.size(); ++i) changed |= invert(i) || drop(i) || never_jumps(i);
    if (changed) apply(p_, edit_);
    return changed;
  }

 private:
  bool always_jumps(uint32_t i) const { return jumps_to_label(p_.code[i]) && !p_.code[i].guard.present(); }

  // Whether all lanes that `a` guards in are guarded in by `b`.
  static bool same_guard(const Instr& a, const Instr& b) {
    return a.guard.present() && b.guard.present() && a.guard.at == b.guard.at &&
           a.guard_negated == b.guard_negated;
  }

  uint32_t final_target(const Instr& from) const {
    constexpr unsigned kMostJumps = 8;  // an empty endless loop jumps for ever
    uint32_t target = from.target;
    for (unsigned k = 0; k < kMostJumps && target < p_.code.size(); ++k) {
      const Instr& there = p_.code[target];
      // Not back: lanes that did not get a lock wait where the others let go of it, and would never meet them
      // (tests/conformance, exch.lock).
      const bool skips = jumps_to_label(there) && same_guard(from, there) && there.target > target;
      if (!always_jumps(target) && !skips) break;
      target = there.target;
    }
    return target;
  }

  bool writes(uint32_t i, Place row) const {
    return std::any_of(p_.refs.begin() + p_.ref_begin[i], p_.refs.begin() + p_.ref_begin[i + 1],
                       [&](const OperandRef& r) { return r.defines && r.place.at == row.at; });
  }

  // All lanes that come here have fallen through a jump with this guard.
  bool never_jumps(uint32_t i) {
    const Instr& in = p_.code[i];
    if (!jumps_to_label(in) || !in.guard.present()) return false;
    for (uint32_t k = i; k > 0 && met_[k] == 0; --k) {
      const Instr& before = p_.code[k - 1];
      if (jumps_to_label(before) && edit_.erase[k - 1] == 0 && same_guard(before, in)) {
        edit_.erase[i] = 1;
        return true;
      }
      if (always_jumps(k - 1) || before.kind == InstrKind::kCall || leaves_function(before) ||
          edit_.replace.count(k - 1) != 0 || writes(k - 1, in.guard))
        break;
    }
    return false;
  }

  bool invert(uint32_t i) {
    const Instr& in = p_.code[i];
    const bool over_next = jumps_to_label(in) && in.guard.present() && in.target == i + 2;
    if (!over_next || met_[i + 1] != 0 || !always_jumps(i + 1)) return false;
    Instr opposite = in;
    opposite.guard_negated = in.guard_negated == 0 ? 1 : 0;
    opposite.target = p_.code[i + 1].target;
    edit_.replace[i] = {opposite, refs_of(p_, i)};
    edit_.erase[i + 1] = 1;
    return true;
  }

  bool drop(uint32_t i) {
    if (edit_.erase[i] != 0 || !jumps_to_label(p_.code[i]) || p_.code[i].target != i + 1) return false;
    edit_.erase[i] = 1;
    return true;
  }

  Program& p_;
  Edit edit_;
  std::vector<uint8_t> met_;  // by instruction: somebody jumps there
};

}  // namespace

void simplify_jumps(Program& p) {
  while (JumpSimplifier(p).run()) {
  }
}

}  // namespace gpuloom::ptx
