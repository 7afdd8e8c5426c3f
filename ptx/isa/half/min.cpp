// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.7 min
//
//   min{.ftz}{.NaN}{.xorsign.abs}.type  d, a, b;     .type = { .f16, .f16x2 }
//   min{.NaN}{.xorsign.abs}.type        d, a, b;     .type = { .bf16, .bf16x2 }
//
// As for .f32: a NaN is ignored unless .NaN says that it wins, -0 is less than +0, .xorsign.abs compares
// magnitudes.
#include "ptx/isa/half/half.h"
#include "ptx/isa/itself.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

using numeric::Extreme;

LaneFn min_f16(const FormUse& use) {
  if (is_move_of_itself(use) && !is_pair(use.type())) return per_lane([](uint16_t a, uint16_t) { return a; });
  return by_flags(
      [&]<bool Ftz, bool Nan, bool XorSign>() {
        return half_or_pair<numeric::extreme_f16<Extreme::kMin, Ftz, Nan, XorSign>>(use);
      },
      use.has(".ftz"), use.has(".NaN"), use.has(".xorsign"));
}

LaneFn min_bf16(const FormUse& use) {
  return by_flags(
      [&]<bool Nan, bool XorSign>() {
        return half_or_pair<numeric::extreme_bf16<Extreme::kMin, Nan, XorSign>>(use);
      },
      use.has(".NaN"), use.has(".xorsign"));
}

}  // namespace

void register_half_min(IsaBuilder& isa) {
  isa.instruction("min", "9.7.4.7", "The smaller of two half-precision values.");
  isa.form("min{.ftz}{.NaN}.type d, a, b")
      .set(".type", ".f16 .f16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hminmax2)
      .meaning(min_f16);
  isa.form("min{.ftz}{.NaN}.xorsign.abs.type d, a, b")
      .set(".type", ".f16 .f16x2")
      .since("7.2")
      .needs("sm_86")
      .op(OpClass::hminmax2)
      .meaning(min_f16);
  isa.form("min{.NaN}.type d, a, b")
      .set(".type", ".bf16 .bf16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hminmax2)
      .meaning(min_bf16);
  isa.form("min{.NaN}.xorsign.abs.type d, a, b")
      .set(".type", ".bf16 .bf16x2")
      .since("7.2")
      .needs("sm_86")
      .op(OpClass::hminmax2)
      .meaning(min_bf16);
}

}  // namespace gpuloom::ptx
