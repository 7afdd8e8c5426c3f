// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.8 max
//
//   max{.ftz}{.NaN}{.xorsign.abs}.type  d, a, b;     .type = { .f16, .f16x2 }
//   max{.NaN}{.xorsign.abs}.type        d, a, b;     .type = { .bf16, .bf16x2 }
//
// As for .f32: a NaN is ignored unless .NaN says that it wins, -0 is less than +0, .xorsign.abs compares
// magnitudes.
#include "ptx/isa/half/half.h"
#include "ptx/isa/itself.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

using numeric::Extreme;

LaneFn max_f16(const FormUse& use) {
  if (is_move_of_itself(use) && !is_pair(use.type())) return per_lane([](uint16_t a, uint16_t) { return a; });
  return by_flags(
      [&]<bool Ftz, bool Nan, bool XorSign>() {
        return half_or_pair<numeric::extreme_f16<Extreme::kMax, Ftz, Nan, XorSign>>(use);
      },
      use.has(".ftz"), use.has(".NaN"), use.has(".xorsign"));
}

LaneFn max_bf16(const FormUse& use) {
  return by_flags(
      [&]<bool Nan, bool XorSign>() {
        return half_or_pair<numeric::extreme_bf16<Extreme::kMax, Nan, XorSign>>(use);
      },
      use.has(".NaN"), use.has(".xorsign"));
}

}  // namespace

void register_half_max(IsaBuilder& isa) {
  isa.instruction("max", "9.7.4.8", "The larger of two half-precision values.");
  isa.form("max{.ftz}{.NaN}.type d, a, b")
      .set(".type", ".f16 .f16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hminmax2)
      .meaning(max_f16);
  isa.form("max{.ftz}{.NaN}.xorsign.abs.type d, a, b")
      .set(".type", ".f16 .f16x2")
      .since("7.2")
      .needs("sm_86")
      .op(OpClass::hminmax2)
      .meaning(max_f16);
  isa.form("max{.NaN}.type d, a, b")
      .set(".type", ".bf16 .bf16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hminmax2)
      .meaning(max_bf16);
  isa.form("max{.NaN}.xorsign.abs.type d, a, b")
      .set(".type", ".bf16 .bf16x2")
      .since("7.2")
      .needs("sm_86")
      .op(OpClass::hminmax2)
      .meaning(max_bf16);
}

}  // namespace gpuloom::ptx
