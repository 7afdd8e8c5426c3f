// SPDX-License-Identifier: Apache-2.0
// clz is 31 - FLO; the subtraction may have gone into an addition that follows (ptxas 13.0, sm_90).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_count_of_zeros(const Selection& s, uint32_t i) { return s.shape(i) == Shape::kCountZeros; }

void apply_count_of_zeros(const Selection& s, Emitter& out, uint32_t i) {
  if (s.fused(i) == OpClass::flo)
    out.sequence({OpClass::flo});
  else
    out.sequence({OpClass::flo, OpClass::iadd});
}

}  // namespace

extern const Rule kCountOfZeros{"count_of_zeros", match_count_of_zeros, apply_count_of_zeros};

}  // namespace gpuloom::ptx
