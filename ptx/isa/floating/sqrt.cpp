// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.15 sqrt
//
//   sqrt.approx{.ftz}.f32  d, a;
//   sqrt.rnd{.ftz}.f32     d, a;     IEEE 754     .rnd = { .rn, .rz, .rm, .rp }
//   sqrt.rnd.f64           d, a;
//   sqrt{.f32, .f64}       d, a;     before PTX 1.4: sqrt.approx.ftz (.f32), sqrt.rn (.f64)
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/directed64.h"
#include "ptx/numeric/folded.h"

namespace gpuloom::ptx {
namespace {

LaneFn sqrt_approx(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane(
              [](float a) { return numeric::folded<Ftz, numeric::root_of, numeric::sqrt_approx<Ftz>>(a); });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::SqrtApprox<Ftz>>(); }, use.has(".ftz"));
}

LaneFn sqrt_f32(const FormUse& use) {
  return by_pair_mode(
      use, []<Rounding R, bool Ftz>() { return per_lane([](float a) { return numeric::sqrt<R, Ftz>(a); }); });
}

LaneFn sqrt_f64(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), []<Rounding R>() {
    if constexpr (R != Rounding::kNearestEven) return per_lane_or_exact<numeric::DirectedSqrt<R>>();
    return per_lane([](double a) { return numeric::sqrt<R>(a); });
  });
}

constexpr LaneFn kOld = per_unit<numeric::SqrtApprox<true>>();

}  // namespace

void register_floating_sqrt(IsaBuilder& isa) {
  isa.instruction("sqrt", "9.7.3.15", "Square root of a floating-point value.");
  isa.form("sqrt.approx{.ftz}.f32 d, a").since("1.4").op(special_function_class).meaning(sqrt_approx);
  isa.form("sqrt.rnd{.ftz}.f32 d, a")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("1.4")
      .needs("sm_20")
      .op(OpClass::sqrt_f32)
      .meaning(sqrt_f32);
  isa.form("sqrt.f32 d, a").op(OpClass::mufu).meaning(kOld);
  isa.form("sqrt{.rnd}.f64 d, a").set(".rnd", ".rn .rz .rm .rp").op(OpClass::sqrt_f64).meaning(sqrt_f64);
}

}  // namespace gpuloom::ptx
