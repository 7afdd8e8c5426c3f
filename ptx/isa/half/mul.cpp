// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.3 mul
//
//   mul{.rnd}{.ftz}{.sat}.type  d, a, b;     .type = { .f16, .f16x2 }     .rnd = { .rn }
//   mul{.rnd}.type              d, a, b;     .type = { .bf16, .bf16x2 }
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

LaneFn mul_f16(const FormUse& use) {
  return by_half_mode(use,
                      [&]<bool Ftz, Clamp16 C>() { return half_or_pair<numeric::mul_f16<Ftz, C>>(use); });
}

LaneFn mul_bf16(const FormUse& use) { return half_or_pair<numeric::mul_bf16<Clamp16::kNone>>(use); }

}  // namespace

void register_half_mul(IsaBuilder& isa) {
  isa.instruction("mul", "9.7.4.3", "Multiply two half-precision values.");
  isa.form("mul{.rnd}{.ftz}{.sat}.type d, a, b")
      .set(".rnd", ".rn")
      .set(".type", ".f16 .f16x2")
      .since("4.2")
      .needs("sm_53")
      .op(OpClass::hmul2)
      .meaning(mul_f16);
  isa.form("mul{.rnd}.type d, a, b")
      .set(".rnd", ".rn")
      .set(".type", ".bf16 .bf16x2")
      .since("7.8")
      .needs("sm_90")
      .op(OpClass::hmul2)
      .meaning(mul_bf16);
}

}  // namespace gpuloom::ptx
