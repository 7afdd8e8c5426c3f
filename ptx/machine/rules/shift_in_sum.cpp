// SPDX-License-Identifier: Apache-2.0
// A shift to the left by a constant goes into a sum: LEA. x << k | y where y has k bits at most is a sum, too
// (SASS of warp_scan_rows: IMAD R9, R7, 0x20, R0).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool joins_low_bits(const Selection& s, const Candidate& c) {
  const uint64_t shift = s.constant_bits(s.instr(c.i).ops[2], 4);
  return all_uses(*c.result, [&](uint32_t u, const OperandRef& ref) {
    if (s.shape(u) != Shape::kLogic32 || s.mnemonic(u) != "or" || s.has_taken(u) || s.folded(u)) return false;
    const uint32_t low = s.maker(s.instr(u).ops[ref.operand == 1 ? 2 : 1]);
    if (low == UINT32_MAX || s.shape(low) != Shape::kLogic32 || s.mnemonic(low) != "and") return false;
    const Place mask = s.instr(low).ops[2];
    return mask.constant() && shift < 32 && s.constant_bits(mask, 4) >> shift == 0;
  });
}

bool match_shift_in_sum(const Selection& s, const Candidate& c) {
  return c.shape == Shape::kShl32 && c.steady && s.instr(c.i).ops[2].constant() &&
         (used_by(s, *c.result, Shape::kAdd32) || joins_low_bits(s, c));
}

void apply_shift_in_sum(const Selection&, Folder& fold, const Candidate&) { fold.into_users(OpClass::lea); }

}  // namespace

extern const FoldRule kShiftInSum{"shift_in_sum", match_shift_in_sum, apply_shift_in_sum};

}  // namespace gpuloom::ptx
