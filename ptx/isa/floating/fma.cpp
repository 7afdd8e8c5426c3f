// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.6 fma, 9.7.3.7 mad
//
//   fma.rnd{.ftz}{.sat}.f32  d, a, b, c;     .rnd = { .rn, .rz, .rm, .rp }
//   fma.rnd{.ftz}.f32x2      d, a, b, c;
//   fma.rnd.f64              d, a, b, c;
//   mad.rnd{.ftz}{.sat}.f32  d, a, b, c;     on sm_20 and later the same as fma
//   mad{.ftz}{.sat}.f32      d, a, b, c;     targets before sm_20 only; run as fma.rn
//   mad.rnd.f64              d, a, b, c;
//
// One rounding: the product is exact.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

LaneFn fma_f32(const FormUse& use) {
  return by_float_mode(use, []<Rounding R, bool Ftz, bool Sat>() {
    return per_lane([](float a, float b, float c) { return numeric::fma<R, Ftz, Sat>(a, b, c); });
  });
}

LaneFn fma_f32x2(const FormUse& use) {
  return by_pair_mode(use, []<Rounding R, bool Ftz>() {
    return per_lane([](F32x2 a, F32x2 b, F32x2 c) {
      return F32x2{numeric::fma<R, Ftz>(a.lower, b.lower, c.lower),
                   numeric::fma<R, Ftz>(a.upper, b.upper, c.upper)};
    });
  });
}

LaneFn fma_f64(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), []<Rounding R>() {
    return per_lane([](double a, double b, double c) { return numeric::fma<R>(a, b, c); });
  });
}

}  // namespace

void register_floating_fma(IsaBuilder& isa) {
  isa.instruction("fma", "9.7.3.6", "Fused multiply-add of floating-point values.");
  isa.form("fma.rnd{.ftz}{.sat}.f32 d, a, b, c")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("2.0")
      .op(OpClass::ffma)
      .meaning(fma_f32);
  isa.form("fma.rnd{.ftz}.f32x2 d, a, b, c")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("8.6")
      .needs("sm_100")
      .op(OpClass::ffma)
      .meaning(fma_f32x2);
  isa.form("fma.rnd.f64 d, a, b, c")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("1.4")
      .op(OpClass::dfma)
      .meaning(fma_f64);

  isa.instruction("mad", "9.7.3.7", "Multiply-add of floating-point values; the same as fma.");
  isa.form("mad{.rnd}{.ftz}{.sat}.f32 d, a, b, c")
      .set(".rnd", ".rn .rz .rm .rp")
      .op(OpClass::ffma)
      .meaning(fma_f32);
  isa.form("mad.rnd.f64 d, a, b, c").set(".rnd", ".rn .rz .rm .rp").op(OpClass::dfma).meaning(fma_f64);
}

}  // namespace gpuloom::ptx
