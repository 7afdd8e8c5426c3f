// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share.
#pragma once
#include "ptx/isa/pick.h"
#include "ptx/isa/table/constant_operand.h"

namespace gpuloom::ptx {

// An .f32x2 register: two f32 in 64 bits, the first in the lower half.
struct F32x2 {
  float lower, upper;
};

// {.rnd}{.ftz} of .f32x2 arithmetic.
template <class Pick>
LaneFn by_pair_mode(const FormUse& use, Pick pick) {
  return by_rounding(use.mod(".rnd"), [&]<Rounding R>() {
    return by_flags([&]<bool Ftz>() { return pick.template operator()<R, Ftz>(); }, use.has(".ftz"));
  });
}

// The special function unit flushes subnormals; without .ftz the operand is scaled around it.
inline OpClass special_function_class(const FormUse& use) {
  return use.has(".ftz") ? OpClass::mufu : OpClass::mufu_denormal;
}

}  // namespace gpuloom::ptx
