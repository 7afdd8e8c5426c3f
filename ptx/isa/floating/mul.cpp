// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.5 mul
//
//   mul{.rnd}{.ftz}{.sat}.f32  d, a, b;     .rnd = { .rn, .rz, .rm, .rp }
//   mul{.rnd}{.ftz}.f32x2      d, a, b;
//   mul{.rnd}.f64              d, a, b;
//
// Without .rnd the result is rounded to nearest even, and ptxas may contract the operation into an fma.
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/directed64.h"

namespace gpuloom::ptx {
namespace {

LaneFn mul_f32(const FormUse& use) {
  return by_float_mode(use, []<Rounding R, bool Ftz, bool Sat>() {
    return per_lane([](float a, float b) { return numeric::mul<R, Ftz, Sat>(a, b); });
  });
}

LaneFn mul_f32x2(const FormUse& use) {
  return by_pair_mode(use, []<Rounding R, bool Ftz>() {
    return per_lane([](F32x2 a, F32x2 b) {
      return F32x2{numeric::mul<R, Ftz>(a.lower, b.lower), numeric::mul<R, Ftz>(a.upper, b.upper)};
    });
  });
}

LaneFn mul_f64(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), []<Rounding R>() {
    if constexpr (R != Rounding::kNearestEven) return per_lane_or_exact<numeric::DirectedMul<R>>();
    return per_lane([](double a, double b) { return numeric::mul<R>(a, b); });
  });
}

}  // namespace

void register_floating_mul(IsaBuilder& isa) {
  isa.instruction("mul", "9.7.3.5", "Multiply two floating-point values.");
  isa.form("mul{.rnd}{.ftz}{.sat}.f32 d, a, b")
      .set(".rnd", ".rn .rz .rm .rp")
      .op(OpClass::fmul)
      .meaning(mul_f32);
  isa.form("mul{.rnd}{.ftz}.f32x2 d, a, b")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("8.6")
      .needs("sm_100")
      .op(OpClass::fmul)
      .meaning(mul_f32x2);
  isa.form("mul{.rnd}.f64 d, a, b")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("1.4")
      .op(OpClass::dmul)
      .meaning(mul_f64);
}

}  // namespace gpuloom::ptx
