// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.21 cvt, f32 to 16-bit formats with .relu and .satfinite, to pairs, and to tf32
//
//   cvt.frnd2{.relu}{.satfinite}.type.f32    d, a;            .type = { .f16, .bf16 }         .frnd2 = { .rn,
//   .rz } cvt.frnd2{.relu}{.satfinite}.pair.f32    d, a, b;         .pair = { .f16x2, .bf16x2 }     a goes to
//   the upper half cvt.rs{.relu}{.satfinite}.pair.f32       d, a, b, rbits;  stochastic rounding
//   cvt.rna{.satfinite}.tf32.f32             d, a;
//   cvt.frnd2{.satfinite}{.relu}.tf32.f32    d, a;
//
// .relu clamps negative results to zero, .satfinite infinities to the largest finite value.
#include "ptx/isa/convert/conversion.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/tf32.h"

namespace gpuloom::ptx {
namespace {

template <Rounding R, bool Relu, bool SatFinite>
uint16_t to_f16(float a) {
  const uint16_t h = numeric::float_to_half<R, SatFinite>(a);
  return Relu ? numeric::relu_half(h) : h;
}
template <Rounding R, bool Relu, bool SatFinite>
uint16_t to_bf16(float a) {
  const uint16_t h = numeric::float_to_bf16<R, SatFinite>(a);
  return Relu ? numeric::relu_bf16(h) : h;
}

// .rn or .rz, with {.relu}{.satfinite}.
template <class Pick>
LaneFn by_mode(const FormUse& use, Pick pick) {
  return by_flags(
      [&]<bool Rz, bool Relu, bool SatFinite>() {
        return pick.template operator() < Rz ? Rounding::kZero : Rounding::kNearestEven, Relu, SatFinite > ();
      },
      use.has(".rz"), use.has(".relu"), use.has(".satfinite"));
}

LaneFn to_half(const FormUse& use) {
  return by_mode(use, [&]<Rounding R, bool Relu, bool Sat>() {
    return use.has(".bf16") ? per_lane([](float a) { return to_bf16<R, Relu, Sat>(a); })
                            : per_lane([](float a) { return to_f16<R, Relu, Sat>(a); });
  });
}

LaneFn to_pair(const FormUse& use) {
  return by_mode(use, [&]<Rounding R, bool Relu, bool Sat>() {
    return use.has(".bf16x2") ? per_lane([](float a, float b) {
      return numeric::pack_16x2(to_bf16<R, Relu, Sat>(a), to_bf16<R, Relu, Sat>(b));
    })
                              : per_lane([](float a, float b) {
                                  return numeric::pack_16x2(to_f16<R, Relu, Sat>(a), to_f16<R, Relu, Sat>(b));
                                });
  });
}

LaneFn to_tf32(const FormUse& use) {
  return by_mode(use, [&]<Rounding R, bool Relu, bool Sat>() {
    return per_lane([](float a) { return numeric::float_to_tf32<R, Sat, Relu>(a); });
  });
}

LaneFn to_tf32_away(const FormUse& use) {
  return by_flags(
      []<bool Sat>() {
        return per_lane([](float a) { return numeric::float_to_tf32<Rounding::kNearestAway, Sat>(a); });
      },
      use.has(".satfinite"));
}

}  // namespace

void register_convert_cvt_packed(IsaBuilder& isa) {
  isa.instruction("cvt", "9.7.9.21", "Convert f32 to f16, bf16, their pairs, and tf32.");
  isa.form("cvt.frnd2{.relu}{.satfinite}.type.f32 d:.type, a:f32")
      .set(".frnd2", ".rn .rz")
      .set(".type", ".f16 .bf16")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::f2fp)
      .meaning(to_half);
  isa.form("cvt.frnd2{.relu}{.satfinite}.type.f32 d:.type, a:f32, b:f32")
      .set(".frnd2", ".rn .rz")
      .set(".type", ".f16x2 .bf16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::f2fp)
      .meaning(to_pair);
  isa.form("cvt.rs{.relu}{.satfinite}.type.f32 d:.type, a:f32, b:f32, rbits:b32")
      .set(".type", ".f16x2 .bf16x2")
      .since("8.7")
      .needs("sm_100a sm_103a")
      .op(OpClass::f2fp)
      .not_modelled("stochastic rounding is not modelled yet");
  isa.form("cvt.rna{.satfinite}.tf32.f32 d:b32, a:f32")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::tf32_away)
      .meaning(to_tf32_away);
  isa.form("cvt.frnd2{.relu}.tf32.f32 d:b32, a:f32")
      .set(".frnd2", ".rn .rz")
      .since("7.8")
      .needs("sm_90")
      .op(OpClass::f2fp)
      .meaning(to_tf32);
  isa.form("cvt.frnd2.satfinite{.relu}.tf32.f32 d:b32, a:f32")
      .set(".frnd2", ".rn .rz")
      .since("8.6")
      .needs("sm_100")
      .op(OpClass::f2fp)
      .meaning(to_tf32);
}

}  // namespace gpuloom::ptx
