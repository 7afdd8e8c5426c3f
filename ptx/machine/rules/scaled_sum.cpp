// SPDX-License-Identifier: Apache-2.0
// A 64-bit sum that has taken a shift is LEA and LEA.HI.X (SASS of transpose_naive), and so is mad.wide by a
// power of two, which a product and a sum of their own are not (of 1,100 in Triton's kernels 1,000 have LEA
// and LEA.HI.X.SX32 where mul.wide and add.s64 are IMAD.WIDE; ptxas 13.0, sm_90a).
#include <bit>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool multiplies_by_power(const Selection& s, uint32_t i) {
  const Place factor = s.instr(i).ops[2];
  if (s.shape(i) != Shape::kMadWide || s.has_taken(i) || !factor.present() || !factor.constant() ||
      s.instr(i).ops[3].constant())
    return false;
  const uint64_t bits = s.constant_bits(factor, 4);
  return bits > 1 && std::has_single_bit(bits);
}

bool match_scaled_sum(const Selection& s, uint32_t i) {
  const Shape shape = s.shape(i);
  if (multiplies_by_power(s, i)) return true;
  return (shape == Shape::kShl64 || shape == Shape::kAdd64) && s.has_taken(i) && s.fused(i) == OpClass::none;
}

void apply_scaled_sum(const Selection&, Emitter& out, uint32_t) {
  out.sequence({OpClass::lea, OpClass::lea});
}

}  // namespace

extern const Rule kScaledSum{"scaled_sum", match_scaled_sum, apply_scaled_sum};

}  // namespace gpuloom::ptx
