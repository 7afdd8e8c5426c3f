// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.10 ex2
//
//   ex2.approx.atype      d, a;     .atype = { .f16, .f16x2 }
//   ex2.approx.ftz.btype  d, a;     .btype = { .bf16, .bf16x2 }
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"

namespace gpuloom::ptx {
namespace {

LaneFn ex2_f16(const FormUse& use) { return half_or_pair<numeric::ex2_approx_f16>(use); }
LaneFn ex2_bf16(const FormUse& use) { return half_or_pair<numeric::ex2_approx_ftz_bf16>(use); }

}  // namespace

void register_half_ex2(IsaBuilder& isa) {
  isa.instruction("ex2", "9.7.4.10", "Power of 2 of half-precision values.");
  isa.form("ex2.approx.type d, a")
      .set(".type", ".f16 .f16x2")
      .since("7.0")
      .needs("sm_75")
      .op(OpClass::mufu)
      .meaning(ex2_f16);
  isa.form("ex2.approx.ftz.type d, a")
      .set(".type", ".bf16 .bf16x2")
      .since("7.8")
      .needs("sm_90")
      .op(OpClass::mufu)
      .meaning(ex2_bf16);
}

}  // namespace gpuloom::ptx
