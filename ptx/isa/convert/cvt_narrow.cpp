// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.21 cvt, to and from the 8-, 6- and 4-bit formats and the scale factor format
//
//   cvt.rn.satfinite{.relu}.narrow.f32     d, a, b;     .narrow = { .e4m3x2, .e5m2x2, .e2m3x2, .e3m2x2,
//   .e2m1x2 } cvt.rn.satfinite{.relu}.narrow.f16x2   d, a;        .narrow = { .e4m3x2, .e5m2x2, .e2m1x2 }
//   cvt.rn{.relu}.f16x2.narrow             d, a;        exact
//   cvt.frnd3{.satfinite}.ue8m0x2.f32      d, a, b;     .frnd3 = { .rz, .rp }
//   cvt.frnd3{.satfinite}.ue8m0x2.bf16x2   d, a;
//   cvt.rn.bf16x2.ue8m0x2                  d, a;
//   cvt.rs{.relu}.satfinite.x4.f32         d, {a, b, e, f}, rbits;     stochastic rounding
//
// Of two sources, a goes to the upper element. A pair of .e2m1 fills eight bits, the other pairs 16.
#include "ptx/isa/convert/conversion.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/fp4.h"
#include "ptx/numeric/fp8.h"
#include "ptx/numeric/ue8m0.h"

namespace gpuloom::ptx {
namespace {

LaneFn from_floats(const FormUse& use) {
  return by_flags(
      [&]<bool Relu>() -> LaneFn {
        switch (use.type(".narrow")) {
          case Type::kE4m3x2:
            return per_lane(
                [](float a, float b) { return numeric::floats_to_codes<numeric::kE4m3, Relu>(a, b); });
          case Type::kE5m2x2:
            return per_lane(
                [](float a, float b) { return numeric::floats_to_codes<numeric::kE5m2, Relu>(a, b); });
          case Type::kE2m3x2:
            return per_lane(
                [](float a, float b) { return numeric::floats_to_codes<numeric::kE2m3, Relu>(a, b); });
          case Type::kE3m2x2:
            return per_lane(
                [](float a, float b) { return numeric::floats_to_codes<numeric::kE3m2, Relu>(a, b); });
          case Type::kE2m1x2:
            return per_lane([](float a, float b) { return numeric::floats_to_e2m1x2<Relu>(a, b); });
          default:
            return nullptr;
        }
      },
      use.has(".relu"));
}

LaneFn from_halves(const FormUse& use) {
  return by_flags(
      [&]<bool Relu>() {
        return use.has(".e4m3x2")
                   ? per_lane([](uint32_t a) { return numeric::halves_to_codes<numeric::kE4m3, Relu>(a); })
                   : per_lane([](uint32_t a) { return numeric::halves_to_codes<numeric::kE5m2, Relu>(a); });
      },
      use.has(".relu"));
}

LaneFn e2m1_from_halves(const FormUse& use) {
  return by_flags(
      [&]<bool Relu>() {
        return per_lane([](uint32_t a) {
          return numeric::floats_to_e2m1x2<Relu>(numeric::half_to_float(static_cast<uint16_t>(a >> 16)),
                                                 numeric::half_to_float(static_cast<uint16_t>(a)));
        });
      },
      use.has(".relu"));
}

LaneFn to_halves(const FormUse& use) {
  return by_flags(
      [&]<bool Relu>() -> LaneFn {
        switch (use.type(".narrow")) {
          case Type::kE4m3x2:
            return per_lane([](uint16_t a) { return numeric::codes_to_halves<numeric::kE4m3, Relu>(a); });
          case Type::kE5m2x2:
            return per_lane([](uint16_t a) { return numeric::codes_to_halves<numeric::kE5m2, Relu>(a); });
          case Type::kE2m3x2:
            return per_lane([](uint16_t a) { return numeric::codes_to_halves<numeric::kE2m3, Relu>(a); });
          case Type::kE3m2x2:
            return per_lane([](uint16_t a) { return numeric::codes_to_halves<numeric::kE3m2, Relu>(a); });
          case Type::kE2m1x2:
            return per_lane([](uint8_t a) { return numeric::e2m1x2_to_halves<Relu>(a); });
          default:
            return nullptr;
        }
      },
      use.has(".relu"));
}

template <class Pick>
LaneFn by_scale_mode(const FormUse& use, Pick pick) {
  return by_flags(
      [&]<bool Up, bool Sat>() {
        return pick.template operator() < Up ? Rounding::kUp : Rounding::kZero, Sat > ();
      },
      use.has(".rp"), use.has(".satfinite"));
}
LaneFn scales_from_floats(const FormUse& use) {
  return by_scale_mode(use, []<Rounding R, bool Sat>() {
    return per_lane([](float a, float b) { return numeric::floats_to_ue8m0x2<R, Sat>(a, b); });
  });
}
LaneFn scales_from_bf16(const FormUse& use) {
  return by_scale_mode(use, []<Rounding R, bool Sat>() {
    return per_lane([](uint32_t a) { return numeric::bf16x2_to_ue8m0x2<R, Sat>(a); });
  });
}
constexpr LaneFn kScalesToBf16 = per_lane([](uint16_t a) { return numeric::ue8m0x2_to_bf16x2(a); });

constexpr const char* kFp8Targets = "sm_89";
constexpr const char* kBlackwell = "sm_100a sm_101a sm_110a sm_120a sm_121a sm_100f sm_101f sm_110f sm_120f";

}  // namespace

void register_convert_cvt_narrow(IsaBuilder& isa) {
  isa.instruction("cvt", "9.7.9.21", "Convert to and from 8-, 6- and 4-bit floating-point formats.");
  isa.form("cvt.rn.satfinite{.relu}.narrow.f32 d:b16, a:f32, b:f32")
      .set(".narrow", ".e4m3x2 .e5m2x2")
      .since("7.8")
      .needs(kFp8Targets)
      .op(OpClass::f2fp)
      .meaning(from_floats);
  isa.form("cvt.rn.satfinite{.relu}.narrow.f16x2 d:b16, a:b32")
      .set(".narrow", ".e4m3x2 .e5m2x2")
      .since("7.8")
      .needs(kFp8Targets)
      .op(OpClass::f2fp)
      .meaning(from_halves);
  isa.form("cvt.rn{.relu}.f16x2.narrow d:b32, a:b16")
      .set(".narrow", ".e4m3x2 .e5m2x2")
      .since("7.8")
      .needs(kFp8Targets)
      .op(OpClass::f2fp)
      .meaning(to_halves);
  isa.form("cvt.rn.satfinite{.relu}.narrow.f32 d:b16, a:f32, b:f32")
      .set(".narrow", ".e2m3x2 .e3m2x2")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(from_floats);
  isa.form("cvt.rn{.relu}.f16x2.narrow d:b32, a:b16")
      .set(".narrow", ".e2m3x2 .e3m2x2")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(to_halves);
  isa.form("cvt.rn.satfinite{.relu}.narrow.f32 d:b8, a:f32, b:f32")
      .set(".narrow", ".e2m1x2")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(from_floats);
  // Not in the manual; ptxas 13.0 takes it.
  isa.form("cvt.rn.satfinite{.relu}.e2m1x2.f16x2 d:b8, a:b32")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(e2m1_from_halves);
  isa.form("cvt.rn{.relu}.f16x2.narrow d:b32, a:b8")
      .set(".narrow", ".e2m1x2")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(to_halves);
  isa.form("cvt.frnd3{.satfinite}.ue8m0x2.f32 d:b16, a:f32, b:f32")
      .set(".frnd3", ".rz .rp")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(scales_from_floats);
  isa.form("cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d:b16, a:b32")
      .set(".frnd3", ".rz .rp")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(scales_from_bf16);
  isa.form("cvt.rn.bf16x2.ue8m0x2 d:b32, a:b16")
      .since("8.6")
      .needs(kBlackwell)
      .op(OpClass::f2fp)
      .meaning(kScalesToBf16);
  isa.form("cvt.rs{.relu}.satfinite.x4.f32 d:any, a+:f32, rbits:b32")
      .set(".x4", ".e4m3x4 .e5m2x4 .e2m3x4 .e3m2x4 .e2m1x4")
      .since("8.7")
      .needs("sm_100a sm_103a")
      .op(OpClass::f2fp)
      .not_modelled("stochastic rounding is not modelled yet");
}

}  // namespace gpuloom::ptx
