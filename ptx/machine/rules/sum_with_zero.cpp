// SPDX-License-Identifier: Apache-2.0
// x + 0 is x, and so is 0 + x where the 0 is the address of the first shared variable.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_sum_with_zero(const Selection& s, const Candidate& c) {
  if ((c.shape != Shape::kAdd64 && c.shape != Shape::kAdd32) || !c.steady) return false;
  if (adds_nothing(s, c.i)) return true;
  if (c.shape != Shape::kAdd32 || s.has_taken(c.i)) return false;
  return known_operand(s, s.instr(c.i).ops[1], 4) == 0 || known_operand(s, s.instr(c.i).ops[2], 4) == 0;
}

void apply_sum_with_zero(const Selection&, Folder& fold, const Candidate&) { fold.vanish(); }

}  // namespace

extern const FoldRule kSumWithZero{"sum_with_zero", match_sum_with_zero, apply_sum_with_zero};

}  // namespace gpuloom::ptx
