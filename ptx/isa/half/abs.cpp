// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.6 abs
//
//   abs{.ftz}.atype  d, a;     .atype = { .f16, .f16x2 }
//   abs.btype        d, a;     .btype = { .bf16, .bf16x2 }
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

LaneFn abs_f16(const FormUse& use) {
  return use.has(".ftz") ? half_or_pair<numeric::abs_f16<true>>(use)
                         : half_or_pair<numeric::abs_f16<false>>(use);
}

LaneFn abs_bf16(const FormUse& use) { return half_or_pair<numeric::abs_bf16>(use); }

}  // namespace

void register_half_abs(IsaBuilder& isa) {
  isa.instruction("abs", "9.7.4.6", "Absolute value of half-precision values.");
  isa.form("abs{.ftz}.type d, a")
      .set(".type", ".f16 .f16x2")
      .since("6.5")
      .needs("sm_53")
      .op(OpClass::hadd2)
      .meaning(abs_f16);
  isa.form("abs.type d, a")
      .set(".type", ".bf16 .bf16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hadd2)
      .meaning(abs_bf16);
}

}  // namespace gpuloom::ptx
