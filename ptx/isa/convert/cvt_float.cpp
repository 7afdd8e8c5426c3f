// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.21 cvt, between floating-point types
//
//   cvt{.irnd}{.ftz}{.sat}.type.type        d, a;     the same type: rounds to an integral value
//   cvt.frnd{.ftz}{.sat}.dtype.atype        d, a;     narrowing, and between .f16 and .bf16
//   cvt{.frnd}{.ftz}{.sat}.dtype.atype      d, a;     widening is exact; from .bf16 a rounding modifier is
//   accepted
//     .irnd = { .rni, .rzi, .rmi, .rpi }     .frnd = { .rn, .rz, .rm, .rp }     types { .f16, .bf16, .f32,
//     .f64 }
//
// .ftz flushes subnormal .f32 operands and results; on the way to .f16 it does nothing on the H200. .sat
// clamps to [0, 1], NaN to 0.
#include "ptx/isa/convert/conversion.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

using numeric::saturate;

template <bool Sat, class Float>
constexpr Float clamp_if(Float x) {
  return Sat ? saturate(x) : x;
}

// Rounding to an integral value of the same type.
template <Rounding R, bool Integral, class Float>
Float integral_if(Float x) {
  return Integral ? numeric::round_to_integral<R>(x) : x;
}

template <Rounding R, bool Integral>
LaneFn same_type(const FormUse& use) {
  return by_flags(
      [&]<bool Ftz, bool Sat>() -> LaneFn {
        switch (use.type(".dtype")) {
          case Type::kF16:
            return per_lane([](uint16_t a) {
              return numeric::float_to_half(clamp_if<Sat>(integral_if<R, Integral>(F16::value(a))));
            });
          case Type::kBf16:
            return per_lane([](uint16_t a) {
              return numeric::float_to_bf16(clamp_if<Sat>(integral_if<R, Integral>(Bf16::value(a))));
            });
          case Type::kF64:
            return per_lane([](double a) {
              const double x = integral_if<R, Integral>(a);
              return Sat ? saturate(x) : numeric::quiet(x);
            });
          default:
            return per_lane([](float a) {
              return numeric::finish<Ftz, Sat>(integral_if<R, Integral>(numeric::flush_if<Ftz>(a)));
            });
        }
      },
      use.has(".ftz"), use.has(".sat"));
}

// Nothing to convert: ptxas makes a move of it, which leaves NaNs alone (H200).
LaneFn move_of(Type type) {
  return type == Type::kF64 ? per_lane([](uint64_t a) { return a; }) : per_lane([](uint32_t a) { return a; });
}

LaneFn round_in_place(const FormUse& use) {
  const bool wide = bits(use.type(".dtype")) >= 32;
  if (wide && use.mod(".irnd").empty() && !use.has(".ftz") && !use.has(".sat"))
    return move_of(use.type(".dtype"));
  if (use.mod(".irnd").empty()) return same_type<Rounding::kNearestEven, false>(use);
  return by_rounding(use.mod(".irnd"), [&]<Rounding R>() { return same_type<R, true>(use); });
}

// A value of a narrower or equal format, exact in f32, rounded to one of 16 bits.
template <Rounding R, bool Sat, class S>
LaneFn to_16_bits(Type destination) {
  if (destination == Type::kF16)
    return per_lane([](typename S::Row a) { return numeric::float_to_half<R>(clamp_if<Sat>(S::value(a))); });
  return per_lane([](typename S::Row a) { return numeric::float_to_bf16<R>(clamp_if<Sat>(S::value(a))); });
}

template <Rounding R, bool Ftz, bool Sat>
LaneFn from_double(Type destination) {
  switch (destination) {
    case Type::kF16:
      return per_lane([](double a) { return numeric::double_to_half<R>(clamp_if<Sat>(a)); });
    case Type::kBf16:
      return per_lane([](double a) { return numeric::double_to_bf16<R>(clamp_if<Sat>(a)); });
    default:
      return per_lane([](double a) { return numeric::double_to_float<R, Ftz, Sat>(a); });
  }
}

LaneFn narrow(const FormUse& use) {
  const Type d = use.type(".dtype");
  return by_rounding(use.mod(".frnd"), [&]<Rounding R>() {
    return by_flags(
        [&]<bool Ftz, bool Sat>() -> LaneFn {
          switch (use.type(".atype")) {
            case Type::kF64:
              return from_double<R, Ftz, Sat>(d);
            case Type::kF16:
              return to_16_bits<R, Sat, F16>(d);
            case Type::kBf16:
              return to_16_bits<R, Sat, Bf16>(d);
            default:
              return Ftz && d == Type::kBf16 ? to_16_bits<R, Sat, F32Ftz>(d) : to_16_bits<R, Sat, F32>(d);
          }
        },
        use.has(".ftz"), use.has(".sat"));
  });
}

template <bool Ftz, bool Sat, class S>
LaneFn widen_to(Type destination) {
  if (destination == Type::kF64)
    return per_lane(
        [](typename S::Row a) { return clamp_if<Sat>(numeric::float_to_double<Ftz>(S::value(a))); });
  // bf16 to f32 is a shift, which leaves NaNs alone; .ftz makes a conversion of it (SASS: F2F.FTZ).
  if constexpr (std::is_same_v<S, Bf16> && Ftz)
    return per_lane([](uint16_t a) { return numeric::finish<true, Sat>(numeric::flush(Bf16::value(a))); });
  else
    return per_lane([](typename S::Row a) { return clamp_if<Sat>(numeric::flush_if<Ftz>(S::value(a))); });
}

LaneFn widen(const FormUse& use) {
  const Type d = use.type(".dtype");
  return by_flags(
      [&]<bool Ftz, bool Sat>() -> LaneFn {
        switch (use.type(".atype")) {
          case Type::kF16:
            return widen_to<Ftz, Sat, F16>(d);
          case Type::kBf16:
            return widen_to<Ftz, Sat, Bf16>(d);
          default:
            return widen_to<Ftz, Sat, F32>(d);
        }
      },
      use.has(".ftz"), use.has(".sat"));
}

OpClass float_class(const FormUse& use) {
  const Type d = use.type(".dtype"), a = use.type(".atype");
  if (d == a) {
    if (d == Type::kF64) return OpClass::f2f64;
    return use.mod(".irnd").empty() ? OpClass::fadd : OpClass::frnd;
  }
  if (d == Type::kF64 || a == Type::kF64) return OpClass::f2f64;
  if (d == Type::kF16 || d == Type::kBf16) return OpClass::f2fp;
  return a == Type::kF16 ? OpClass::hadd2 : OpClass::shift;  // bf16 to f32 is a shift
}

std::string check(const FormUse& use) {
  const Type d = use.type(".dtype"), a = use.type(".atype");
  if (use.has(".ftz") && d != Type::kF32 && a != Type::kF32) return ".ftz applies to .f32 only";
  if (use.has(".sat") && (d == Type::kBf16 || a == Type::kBf16)) return ".sat does not apply to .bf16";
  return "";
}

}  // namespace

void register_convert_cvt_float(IsaBuilder& isa) {
  isa.instruction("cvt", "9.7.9.21", "Convert between floating-point types.");
  for (const char* type : {".f16", ".f32", ".f64", ".bf16@7.8,sm_90"})
    isa.form("cvt{.irnd}{.ftz}{.sat}.dtype.atype d:.dtype, a:.atype")
        .set(".irnd", ".rni .rzi .rmi .rpi")
        .set(".dtype", type)
        .set(".atype", type)
        .check(check)
        .op(float_class)
        .meaning(round_in_place);
  const auto narrowing = [&](const char* to, const char* from, const char* rounding = ".frnd") {
    isa.form("cvt" + std::string(rounding) + "{.ftz}{.sat}.dtype.atype d:.dtype, a:.atype")
        .set(".frnd", ".rn .rz .rm .rp")
        .set(".dtype", to)
        .set(".atype", from)
        .check(check)
        .op(float_class)
        .meaning(narrow);
  };
  narrowing(".f16", ".f32 .f64");
  narrowing(".bf16@7.0,sm_80", ".f32");
  narrowing(".bf16@7.8,sm_90", ".f64");
  // Between the two of 16 bits ptxas takes no rounding for .rn (F2F.F16.BF16).
  narrowing(".f16", ".bf16@7.8,sm_90", "{.frnd}");
  narrowing(".bf16@7.8,sm_90", ".f16", "{.frnd}");
  narrowing(".f32", ".f64");
  isa.form("cvt{.ftz}{.sat}.dtype.atype d:.dtype, a:.atype")
      .set(".dtype", ".f32 .f64")
      .set(".atype", ".f16")
      .check(check)
      .op(float_class)
      .meaning(widen);
  isa.form("cvt{.ftz}{.sat}.dtype.atype d:.dtype, a:.atype")
      .set(".dtype", ".f64")
      .set(".atype", ".f32")
      .check(check)
      .op(float_class)
      .meaning(widen);
  isa.form("cvt{.frnd}{.ftz}.dtype.atype d:.dtype, a:.atype")
      .set(".frnd", ".rn .rz .rm .rp")
      .set(".dtype", ".f32@7.1,sm_80 .f64@7.8,sm_90")
      .set(".atype", ".bf16")
      .check(check)
      .op(float_class)
      .meaning(widen);
}

}  // namespace gpuloom::ptx
