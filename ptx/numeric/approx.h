// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ptx/numeric/arith32.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"
#include "ptx/numeric/mufu.h"

namespace gpuloom::ptx::numeric {

// The approximate PTX instructions, bit for bit as an H200 executes them: MUFU (mufu.h) inside the scaling
// that ptxas 13.0 emits for sm_90 where an instruction without .ftz accepts or returns subnormal numbers.
// Constants are powers of two unless said.

namespace detail {

inline constexpr float kSmallestNormal = 0x1p-126f;

constexpr float magnitude(float a) { return float_of(bits_of(a) & ~kSign32); }

// x * 0.15915493667125702 (f32 nearest to 1/2pi) rounded to zero: radians to revolutions. What f32 cannot
// hold is too small for the unit to see.
constexpr float revolutions(float a) {
  const std::uint32_t b = bits_of(a);
  const std::uint64_t product = static_cast<std::uint64_t>((b & 0x007fffffu) | 0x00800000u) * 0xa2f983u;
  const std::uint32_t upper = static_cast<std::uint32_t>(product >> 23);  // 24 or 25 bits
  const std::uint32_t carry = upper >> 24;
  const std::uint32_t fraction = (upper >> carry) & 0x007fffffu;
  const std::uint32_t e = (b >> 23) & 0xffu;
  const std::uint32_t scaled = ((e + carry - 3) << 23) | fraction;
  const std::uint32_t result = e < 4 ? 0u : scaled;
  return float_of((e == 0xffu ? kInf32 : result) | (b & kSign32));
}

constexpr std::uint16_t truncate_to_half(float x) {
  return static_cast<std::uint16_t>(x != x ? kNaN16
                                           : narrow<kF16, Rounding::kZero, false>(static_cast<double>(x)));
}
// Overflow is infinity here, where rounding to zero would stop at the largest number.
constexpr std::uint16_t truncate_to_half_or_infinity(float x) {
  return x >= 65536.0f ? std::uint16_t{0x7c00} : truncate_to_half(x);
}
constexpr std::uint16_t truncate_to_bf16(float x) {
  return static_cast<std::uint16_t>(x != x ? kNaNBf16 : bits_of(x) >> 16);
}

}  // namespace detail

// Each is what ptxas does to the operand before the unit, the unit's function, and what it does to the
// result.
template <bool Ftz>
struct RcpApprox {
  using Unit = mufu::Reciprocal;
  static constexpr float scale(float a) {
    if constexpr (Ftz) return 1.0f;
    const float m = detail::magnitude(a);
    const float scale = m < detail::kSmallestNormal ? 0x1p24f : 1.0f;
    return m > 0x1p126f ? 0x1p-2f : scale;
  }
  static constexpr float before(float a) { return Ftz ? a : a * scale(a); }
  static constexpr float after(float a, float unit) { return Ftz ? unit : canonical(scale(a) * unit); }
};

// The root of a subnormal is that of 2^24 times it, scaled back by 2^12 or, of the reciprocal, the other way.
template <class Root, bool Reciprocal, bool Ftz>
struct RootApprox {
  using Unit = Root;
  static constexpr float kBack = Reciprocal ? 0x1p12f : 0x1p-12f;
  static constexpr bool tiny(float a) { return detail::magnitude(a) < detail::kSmallestNormal; }
  static constexpr float before(float a) { return Ftz ? a : a * (tiny(a) ? 0x1p24f : 1.0f); }
  static constexpr float after(float a, float unit) {
    return Ftz ? unit : canonical(unit * (tiny(a) ? kBack : 1.0f));
  }
};
template <bool Ftz>
using SqrtApprox = RootApprox<mufu::Root, false, Ftz>;
template <bool Ftz>
using RsqrtApprox = RootApprox<mufu::ReciprocalRoot, true, Ftz>;

template <bool Ftz>
struct Ex2Approx {
  using Unit = mufu::PowerOfTwo;
  static constexpr bool small(float a) {
    return a < -126.0f;
  }  // the square of the root of a subnormal result
  static constexpr float before(float a) { return !Ftz && small(a) ? a * 0.5f : a; }
  static constexpr float after(float a, float unit) {
    return Ftz ? unit : canonical(small(a) ? unit * unit : unit);
  }
};

template <bool Ftz>
struct Lg2Approx {
  using Unit = mufu::Logarithm;
  static constexpr bool tiny(float a) { return detail::magnitude(a) < detail::kSmallestNormal; }
  static constexpr float before(float a) { return Ftz ? a : a * (tiny(a) ? 0x1p24f : 1.0f); }
  static constexpr float after(float a, float unit) {
    return Ftz ? unit : canonical(tiny(a) ? unit - 24.0f : unit);
  }
};

// .ftz makes no difference to these three: a subnormal angle is too small to matter, and tanh passes
// subnormals on.
template <bool Cosine>
struct SineApprox {
  using Unit = mufu::SineOfRevolutions<Cosine>;
  static constexpr float before(float a) { return detail::revolutions(a); }
  static constexpr float after(float, float unit) { return unit; }
};
struct TanhApprox {
  using Unit = mufu::HyperbolicTangent;
  static constexpr float before(float a) { return a; }
  static constexpr float after(float, float unit) { return unit; }
};

template <class Function>
constexpr float approximated(float a) {
  return Function::after(a, mufu::of<typename Function::Unit>(Function::before(a)));
}
template <bool Ftz = false>
constexpr float rcp_approx(float a) {
  return approximated<RcpApprox<Ftz>>(a);
}
template <bool Ftz = false>
constexpr float sqrt_approx(float a) {
  return approximated<SqrtApprox<Ftz>>(a);
}
template <bool Ftz = false>
constexpr float rsqrt_approx(float a) {
  return approximated<RsqrtApprox<Ftz>>(a);
}
template <bool Ftz = false>
constexpr float ex2_approx(float a) {
  return approximated<Ex2Approx<Ftz>>(a);
}
template <bool Ftz = false>
constexpr float lg2_approx(float a) {
  return approximated<Lg2Approx<Ftz>>(a);
}
template <bool Ftz = false>
constexpr float sin_approx(float a) {
  return approximated<SineApprox<false>>(a);
}
template <bool Ftz = false>
constexpr float cos_approx(float a) {
  return approximated<SineApprox<true>>(a);
}
constexpr float tanh_approx(float a) { return approximated<TanhApprox>(a); }

// div.approx: a * (1/b), hence 0 for 2^126 < |b| < 2^128 (NaN for an infinite a), as the manual says.
template <bool Ftz>
struct DivApprox {
  using Unit = mufu::Reciprocal;
  static constexpr float scale(float b) {
    return !Ftz && detail::magnitude(b) < detail::kSmallestNormal ? 0x1p24f : 1.0f;
  }
  static constexpr float before(float b) { return Ftz ? b : b * scale(b); }
  static float after(float a, float b, float unit) {
    return mul<Rounding::kNearestEven, Ftz>(Ftz ? a : a * scale(b), unit);
  }
};
// div.full: scaled so that every finite b has a reciprocal.
template <bool Ftz>
struct DivFull {
  using Unit = mufu::Reciprocal;
  static constexpr float scale(float b) {
    const float m = detail::magnitude(flush_if<Ftz>(b));
    const float scale = !Ftz && m < detail::kSmallestNormal ? 0x1p24f : 1.0f;
    return m > 0x1p126f ? 0x1p-2f : scale;
  }
  static constexpr float before(float b) { return b * scale(b); }
  static float after(float a, float b, float unit) {
    if constexpr (Ftz)
      return mul<Rounding::kNearestEven, true>(mul<Rounding::kNearestEven, true>(a, scale(b)), unit);
    return mul(a * scale(b), unit);
  }
};
template <class Function>
inline float divided(float a, float b) {
  return Function::after(a, b, mufu::of<typename Function::Unit>(Function::before(b)));
}
template <bool Ftz = false>
inline float div_approx(float a, float b) {
  return divided<DivApprox<Ftz>>(a, b);
}
template <bool Ftz = false>
inline float div_full(float a, float b) {
  return divided<DivFull<Ftz>>(a, b);
}

// f16 and bf16: the f32 result truncated.
constexpr std::uint16_t ex2_approx_f16(std::uint16_t a) {
  return detail::truncate_to_half_or_infinity(mufu::ex2(half_to_float(a)));
}
constexpr std::uint16_t tanh_approx_f16(std::uint16_t a) {
  return detail::truncate_to_half(mufu::tanh(half_to_float(a)));
}
constexpr std::uint16_t ex2_approx_ftz_bf16(std::uint16_t a) {
  return detail::truncate_to_bf16(mufu::ex2(bf16_to_float(a)));
}
constexpr std::uint16_t tanh_approx_bf16(std::uint16_t a) {
  return detail::truncate_to_bf16(mufu::tanh(bf16_to_float(a)));
}

// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the upper word only, the lower is zero.
constexpr double rcp_approx_ftz(double a) {
  return double_of(static_cast<std::uint64_t>(mufu::rcp64h(static_cast<std::uint32_t>(bits_of(a) >> 32)))
                   << 32);
}
constexpr double rsqrt_approx_ftz(double a) {
  return double_of(static_cast<std::uint64_t>(mufu::rsq64h(static_cast<std::uint32_t>(bits_of(a) >> 32)))
                   << 32);
}

// rsqrt.approx.f64: one cubic correction of the above.
inline double rsqrt_approx(double a) {
  const std::uint64_t b = bits_of(a);
  if (is_nan(a)) return quiet(a);
  if ((b & ~kSign64) == 0) return double_of(kInf64 | (b & kSign64));
  if ((b & kSign64) != 0) return double_of(kNaN64);
  if (b == kInf64) return 0.0;
  const bool tiny = (b & kInf64) == 0;
  const double x = tiny ? a * 0x1p54 : a;
  const double y = rsqrt_approx_ftz(x);
  const double error = std::fma(x, -(y * y), 1.0);
  const double root = std::fma(std::fma(error, 0.375, 0.5), y * error, y);
  return tiny ? root * 0x1p27 : root;
}

}  // namespace gpuloom::ptx::numeric
