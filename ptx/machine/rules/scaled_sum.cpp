// SPDX-License-Identifier: Apache-2.0
// A 64-bit sum that has taken a shift is LEA and LEA.HI.X (SASS of transpose_naive).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_scaled_sum(const Selection& s, uint32_t i) {
  const Shape shape = s.shape(i);
  return (shape == Shape::kShl64 || shape == Shape::kAdd64) && s.has_taken(i) && s.fused(i) == OpClass::none;
}

void apply_scaled_sum(const Selection&, Emitter& out, uint32_t) {
  out.sequence({OpClass::lea, OpClass::lea});
}

}  // namespace

extern const Rule kScaledSum{"scaled_sum", match_scaled_sum, apply_scaled_sum};

}  // namespace gpuloom::ptx
