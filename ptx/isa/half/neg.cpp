// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.5 neg
//
//   neg{.ftz}.atype  d, a;     .atype = { .f16, .f16x2 }
//   neg.btype        d, a;     .btype = { .bf16, .bf16x2 }
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

LaneFn neg_f16(const FormUse& use) {
  return use.has(".ftz") ? half_or_pair<numeric::neg_f16<true>>(use)
                         : half_or_pair<numeric::neg_f16<false>>(use);
}

LaneFn neg_bf16(const FormUse& use) { return half_or_pair<numeric::neg_bf16>(use); }

}  // namespace

void register_half_neg(IsaBuilder& isa) {
  isa.instruction("neg", "9.7.4.5", "Negation of half-precision values.");
  isa.form("neg{.ftz}.type d, a")
      .set(".type", ".f16 .f16x2")
      .since("6.0")
      .needs("sm_53")
      .op(OpClass::hadd2)
      .meaning(neg_f16);
  isa.form("neg.type d, a")
      .set(".type", ".bf16 .bf16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hadd2)
      .meaning(neg_bf16);
}

}  // namespace gpuloom::ptx
