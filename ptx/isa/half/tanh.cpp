// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.9 tanh
//
//   tanh.approx.type  d, a;     .type = { .f16, .f16x2, .bf16, .bf16x2 }
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"

namespace gpuloom::ptx {
namespace {

LaneFn tanh_f16(const FormUse& use) { return half_or_pair<numeric::tanh_approx_f16>(use); }
LaneFn tanh_bf16(const FormUse& use) { return half_or_pair<numeric::tanh_approx_bf16>(use); }

}  // namespace

void register_half_tanh(IsaBuilder& isa) {
  isa.instruction("tanh", "9.7.4.9", "Hyperbolic tangent of half-precision values.");
  isa.form("tanh.approx.type d, a")
      .set(".type", ".f16 .f16x2")
      .since("7.0")
      .needs("sm_75")
      .op(OpClass::mufu)
      .meaning(tanh_f16);
  isa.form("tanh.approx.type d, a")
      .set(".type", ".bf16 .bf16x2")
      .since("7.8")
      .needs("sm_90")
      .op(OpClass::mufu)
      .meaning(tanh_bf16);
}

}  // namespace gpuloom::ptx
