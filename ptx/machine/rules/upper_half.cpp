// SPDX-License-Identifier: Apache-2.0
// The upper half of 64 bits that becomes a value of its own is moved, with what stands beside it (SASS of
// 256-bit products).
#include "ptx/machine/narrowing.h"
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_upper_half(const Selection& s, uint32_t i) {
  return s.shape(i) == Shape::kRename && takes_upper(s, i);
}

void apply_upper_half(const Selection&, Emitter& out, uint32_t) {
  out.sequence({OpClass::mov, OpClass::mov});
}

}  // namespace

extern const Rule kUpperHalf{"upper_half", match_upper_half, apply_upper_half};

}  // namespace gpuloom::ptx
