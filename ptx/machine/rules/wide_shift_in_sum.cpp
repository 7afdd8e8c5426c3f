// SPDX-License-Identifier: Apache-2.0
// A shift by a constant goes into the one 64-bit sum that reads it: LEA and LEA.HI.X. Of a shift that several
// read the result is kept (ptxas 13.0, sm_90: SHL, SHF.L.U64.HI; IADD3, IADD3.X each, in one block or
// several).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_wide_shift_in_sum(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kShl64 && c.steady && s.instr(c.i).ops[2].constant() &&
         c.result->uses.size() == 1 && used_by(s, *c.result, Shape::kAdd64);
}

void apply_wide_shift_in_sum(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::none);
}

}  // namespace

extern const FoldRule kWideShiftInSum{"wide_shift_in_sum", match_wide_shift_in_sum, apply_wide_shift_in_sum};

}  // namespace gpuloom::ptx
