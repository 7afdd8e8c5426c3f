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

template <bool Ftz = false>
constexpr float rcp_approx(float a) {
  if constexpr (Ftz) return mufu::rcp(a);
  const float m = detail::magnitude(a);
  float scale = m < detail::kSmallestNormal ? 0x1p24f : 1.0f;
  scale = m > 0x1p126f ? 0x1p-2f : scale;
  return canonical(scale * mufu::rcp(a * scale));
}

template <bool Ftz = false>
constexpr float sqrt_approx(float a) {
  if constexpr (Ftz) return mufu::sqrt(a);
  const bool tiny = detail::magnitude(a) < detail::kSmallestNormal;
  return canonical(mufu::sqrt(a * (tiny ? 0x1p24f : 1.0f)) * (tiny ? 0x1p-12f : 1.0f));
}

template <bool Ftz = false>
constexpr float rsqrt_approx(float a) {
  if constexpr (Ftz) return mufu::rsq(a);
  const bool tiny = detail::magnitude(a) < detail::kSmallestNormal;
  return canonical(mufu::rsq(a * (tiny ? 0x1p24f : 1.0f)) * (tiny ? 0x1p12f : 1.0f));
}

template <bool Ftz = false>
constexpr float ex2_approx(float a) {
  if constexpr (Ftz) return mufu::ex2(a);
  const bool small = a < -126.0f;  // the square of the root of a subnormal result
  const float root = mufu::ex2(small ? a * 0.5f : a);
  return canonical(small ? root * root : root);
}

template <bool Ftz = false>
constexpr float lg2_approx(float a) {
  if constexpr (Ftz) return mufu::lg2(a);
  const bool tiny = detail::magnitude(a) < detail::kSmallestNormal;
  const float result = mufu::lg2(a * (tiny ? 0x1p24f : 1.0f));
  return canonical(tiny ? result - 24.0f : result);
}

// .ftz makes no difference to these three: a subnormal angle is too small to matter, and tanh passes
// subnormals on.
template <bool Ftz = false>
constexpr float sin_approx(float a) {
  return mufu::sine<false>(detail::revolutions(a));
}
template <bool Ftz = false>
constexpr float cos_approx(float a) {
  return mufu::sine<true>(detail::revolutions(a));
}
constexpr float tanh_approx(float a) { return mufu::tanh(a); }

// div.approx: a * (1/b), hence 0 for 2^126 < |b| < 2^128 (NaN for an infinite a), as the manual says.
template <bool Ftz = false>
inline float div_approx(float a, float b) {
  if constexpr (Ftz) return mul<Rounding::kNearestEven, true>(a, mufu::rcp(b));
  const float scale = detail::magnitude(b) < detail::kSmallestNormal ? 0x1p24f : 1.0f;
  return mul(a * scale, mufu::rcp(b * scale));
}
// div.full: scaled so that every finite b has a reciprocal.
template <bool Ftz = false>
inline float div_full(float a, float b) {
  const float m = detail::magnitude(flush_if<Ftz>(b));
  float scale = !Ftz && m < detail::kSmallestNormal ? 0x1p24f : 1.0f;
  scale = m > 0x1p126f ? 0x1p-2f : scale;
  if constexpr (Ftz) {
    return mul<Rounding::kNearestEven, true>(mul<Rounding::kNearestEven, true>(a, scale),
                                             mufu::rcp(b * scale));
  }
  return mul(a * scale, mufu::rcp(b * scale));
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
