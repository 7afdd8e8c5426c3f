// SPDX-License-Identifier: Apache-2.0
// Jumps as ptxas lays them out. nvcc writes a condition and its opposite as two jumps,
//   @p bra A; bra B; A: ...
// of which ptxas makes one, @!p bra B (SASS of decision_tree, wmma_gemm), a jump to a jump goes to where that
// one goes, and a jump to what follows vanishes.
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"

namespace gpuloom::ptx {

namespace {

class JumpSimplifier {
 public:
  explicit JumpSimplifier(Program& p) : p_(p), edit_(p), met_(p.code.size() + 1, 0) {
    for (Instr& in : p_.code) {
      if (jumps(in)) in.target = final_target(in.target);
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
    for (uint32_t i = 0; i + 1 < p_.code.size(); ++i) changed |= invert(i) || drop(i);
    if (changed) apply(p_, edit_);
    return changed;
  }

 private:
  static bool jumps(const Instr& in) {
    return in.kind == InstrKind::kBranch && static_cast<OpClass>(in.op_class) != OpClass::brx;
  }
  bool always_jumps(uint32_t i) const { return jumps(p_.code[i]) && !p_.code[i].guard.present(); }

  uint32_t final_target(uint32_t target) const {
    constexpr unsigned kMostJumps = 8;  // an empty endless loop jumps for ever
    for (unsigned k = 0; k < kMostJumps && target < p_.code.size() && always_jumps(target); ++k)
      target = p_.code[target].target;
    return target;
  }

  bool invert(uint32_t i) {
    const Instr& in = p_.code[i];
    const bool over_next = jumps(in) && in.guard.present() && in.target == i + 2;
    if (!over_next || met_[i + 1] != 0 || !always_jumps(i + 1)) return false;
    Instr opposite = in;
    opposite.guard_negated = in.guard_negated == 0 ? 1 : 0;
    opposite.target = p_.code[i + 1].target;
    edit_.replace[i] = {opposite, {p_.refs.begin() + p_.ref_begin[i], p_.refs.begin() + p_.ref_begin[i + 1]}};
    edit_.erase[i + 1] = 1;
    return true;
  }

  bool drop(uint32_t i) {
    if (edit_.erase[i] != 0 || !jumps(p_.code[i]) || p_.code[i].target != i + 1) return false;
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
