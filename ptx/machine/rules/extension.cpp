// SPDX-License-Identifier: Apache-2.0
// What extends 32 bits to 64 and has not gone into its users makes the upper half: the sign (SHF), or zero
// (MOV; SASS of transpose_naive).
#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

namespace {

bool match_extension(const Selection& s, uint32_t i) { return s.shape(i) == Shape::kExtend; }

void apply_extension(const Selection& s, Emitter& out, uint32_t i) {
  out.sequence({s.extends_sign(i) ? OpClass::shift : OpClass::mov});
}

}  // namespace

extern const Rule kExtension{"extension", match_extension, apply_extension};

}  // namespace gpuloom::ptx
