// SPDX-License-Identifier: Apache-2.0
// A shift by a constant goes into the 64-bit sum: LEA and LEA.HI.X, or IMAD.WIDE where 32 bits are extended
// for it.
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_wide_shift_in_sum(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kShl64 && c.steady && s.instr(c.i).ops[2].constant() &&
         used_by(s, *c.result, Shape::kAdd64);
}

void apply_wide_shift_in_sum(const Selection& s, Folder& fold, const Candidate& c) {
  const uint32_t from = s.maker(s.instr(c.i).ops[1]);
  const bool narrow = from != UINT32_MAX && s.shape(from) == Shape::kExtend && s.folded(from);
  fold.into_users(narrow ? OpClass::imad_wide : OpClass::none);
}

}  // namespace

extern const FoldRule kWideShiftInSum{"wide_shift_in_sum", match_wide_shift_in_sum, apply_wide_shift_in_sum};

}  // namespace gpuloom::ptx
