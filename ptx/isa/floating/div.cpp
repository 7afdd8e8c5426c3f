// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.8 div
//
//   div.approx{.ftz}.f32  d, a, b;     error within 2 ulp for |b| in [2^-126, 2^126]
//   div.full{.ftz}.f32    d, a, b;     error within 2 ulp, full range, subnormals too
//   div.rnd{.ftz}.f32     d, a, b;     IEEE 754     .rnd = { .rn, .rz, .rm, .rp }
//   div.rnd.f64           d, a, b;
//   div{.ftz}.f32         d, a, b;     before PTX 1.4: div.approx.ftz (.f32), div.rn (.f64)
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/directed64.h"

namespace gpuloom::ptx {
namespace {

LaneFn div_approx(const FormUse& use) {
  return by_flags([]<bool Ftz>() { return per_unit<numeric::DivApprox<Ftz>>(); }, use.has(".ftz"));
}

LaneFn div_full(const FormUse& use) {
  return by_flags([]<bool Ftz>() { return per_unit<numeric::DivFull<Ftz>>(); }, use.has(".ftz"));
}

LaneFn div_f32(const FormUse& use) {
  return by_pair_mode(use, []<Rounding R, bool Ftz>() {
    return per_lane([](float a, float b) { return numeric::div<R, Ftz>(a, b); });
  });
}

LaneFn div_f64(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), []<Rounding R>() {
    if constexpr (R != Rounding::kNearestEven) return per_lane_or_exact<numeric::DirectedDiv<R>>();
    return per_lane([](double a, double b) { return numeric::div<R>(a, b); });
  });
}

// Without .ftz small divisors are scaled up, by .full those beyond 2^126 down (SASS of each form).
OpClass full_class(const FormUse& use) {
  return use.has(".ftz") ? OpClass::div_f32_scaled : OpClass::div_f32_full;
}
OpClass approx_class(const FormUse& use) {
  return use.has(".ftz") ? OpClass::div_f32_approx : OpClass::div_f32_scaled;
}

constexpr LaneFn kOldDiv = per_unit<numeric::DivApprox<true>>();

}  // namespace

void register_floating_div(IsaBuilder& isa) {
  isa.instruction("div", "9.7.3.8", "Divide two floating-point values.");
  isa.form("div.approx{.ftz}.f32 d, a, b").since("1.4").op(approx_class).meaning(div_approx);
  isa.form("div.full{.ftz}.f32 d, a, b").since("1.4").op(full_class).meaning(div_full);
  isa.form("div.rnd{.ftz}.f32 d, a, b")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("1.4")
      .needs("sm_20")
      .op(OpClass::div_f32)
      .meaning(div_f32);
  isa.form("div.f32 d, a, b").op(OpClass::div_f32_approx).meaning(kOldDiv);
  isa.form("div{.rnd}.f64 d, a, b").set(".rnd", ".rn .rz .rm .rp").op(OpClass::div_f64).meaning(div_f64);
}

}  // namespace gpuloom::ptx
