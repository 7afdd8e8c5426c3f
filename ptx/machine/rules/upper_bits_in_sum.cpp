// SPDX-License-Identifier: Apache-2.0
// LEA.HI adds the upper bits of a register to another: x + (y >> k), in each sum anew (SASS of CUB's padding
// of shared memory, of a division by a power of two). It adds to what two registers give when they are
// shifted as one, too (SASS of MD5).
#include "ptx/machine/rules/fold_rule.h"

namespace gpuloom::ptx {

namespace {

bool match_upper_bits_in_sum(const Selection& s, const Candidate& c) {
  const bool shifts =
      c.shape == Shape::kShr32 || (c.shape == Shape::kFunnel && c.steady && c.result->uses.size() == 1);
  return shifts && c.steady && used_by(s, *c.result, Shape::kAdd32);
}

void apply_upper_bits_in_sum(const Selection&, Folder& fold, const Candidate&) {
  fold.into_users(OpClass::lea);
}

}  // namespace

extern const FoldRule kUpperBitsInSum{"upper_bits_in_sum", match_upper_bits_in_sum, apply_upper_bits_in_sum};

}  // namespace gpuloom::ptx
