// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/minmax.h"
#include "ptx/numeric/narrow.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx::numeric {

// f32 arithmetic, exact to the bit in every rounding mode: add, sub, mul, fma, div, rcp, sqrt <R, Ftz, Sat>.
//
// Nearest-even is the host's own operation. The other modes compute in f64 rounded to odd (the exact value
// truncated, its last bit set if anything was lost), which a second rounding to f32 cannot tell from the
// exact value because f64 has more than two extra bits (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", IEEE TC 2008). No operand or result of f32 arithmetic comes near the ends of the f64 range,
// so f64's own errors are exact.

namespace detail {

// `value` is f64-nearest to an exact result that differs from it by the sign of `error` (0 or NaN: not at
// all).
constexpr double to_odd(double value, double error) {
  const std::uint64_t b = bits_of(value);
  const std::uint64_t e = bits_of(error);
  const std::uint64_t inexact = (e & ~kSign64) - 1 < kInf64 - 1 ? ~std::uint64_t{0} : 0;
  const std::uint64_t even = (b & 1) - 1;
  const std::uint64_t step = 1 - (((e ^ b) >> 63) << 1);  // outwards if the error has the sign of the value
  return double_of(b + (step & inexact & even));
}

// x + y rounded to odd; `down` makes an exact zero negative, as rounding towards minus infinity wants it.
template <bool Down>
inline double add_odd(double x, double y) {
  const double sum = Down ? -((-x) + (-y)) : x + y;
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);
  return to_odd(sum, error);
}

template <Rounding R>
constexpr float to_float(double x) {
  if constexpr (R == Rounding::kNearestEven) {
    return static_cast<float>(x);
  } else {
    return float_of(narrow<kF32, R, false>(x));
  }
}

// `.ftz` of a result (H200): it is tiny if it lies below 2^-126 after rounding to 24 bits with an exponent
// that has no lower end. 2^-126 * (1 - 2^-24), which rounding to the subnormal grid may take up to 2^-126, is
// flushed; 2^-126 * (1 - 2^-30) is not.

// For x, the exact result rounded to odd.
template <Rounding R>
constexpr bool rounds_to_tiny(double x) {
  const double magnitude = double_of(bits_of(x) & ~kSign64);
  constexpr double kPastLargestTiny = double_of(bits_of(0x1p-126 * (1.0 - 0x1p-24)) + 1);
  double limit = 0x1p-126;
  if constexpr (R == Rounding::kNearestEven) limit = 0x1p-126 * (1.0 - 0x1p-25);
  if constexpr (R == Rounding::kDown) limit = x < 0.0 ? kPastLargestTiny : 0x1p-126;
  if constexpr (R == Rounding::kUp) limit = x > 0.0 ? kPastLargestTiny : 0x1p-126;
  return magnitude < limit;
}

// For the host's own nearest-even result, and the same operation on operands 2^24 times as large, which no
// exponent limit touches where the result is tiny.
constexpr float flush_rounded(float result, float scaled) {
  const bool tiny = (bits_of(scaled) & ~kSign32) < bits_of(0x1p-102f);
  return float_of(tiny ? bits_of(result) & kSign32 : bits_of(result));
}

template <Rounding R, bool Ftz, bool Sat>
constexpr float finish_exact(double x) {
  float result = to_float<R>(x);
  if constexpr (Ftz) result = float_of(rounds_to_tiny<R>(x) ? bits_of(result) & kSign32 : bits_of(result));
  return finish<false, Sat>(result);
}

}  // namespace detail

template <Rounding R = Rounding::kNearestEven, bool Ftz = false, bool Sat = false>
inline float add(float a, float b) {
  const float x = flush_if<Ftz>(a);
  const float y = flush_if<Ftz>(b);
  if constexpr (R == Rounding::kNearestEven) {
    return finish<Ftz, Sat>(x + y);
  } else {
    return detail::finish_exact<R, Ftz, Sat>(detail::add_odd<R == Rounding::kDown>(x, y));
  }
}

template <Rounding R = Rounding::kNearestEven, bool Ftz = false, bool Sat = false>
inline float sub(float a, float b) {
  return add<R, Ftz, Sat>(a, -b);
}

template <Rounding R = Rounding::kNearestEven, bool Ftz = false, bool Sat = false>
inline float mul(float a, float b) {
  const float x = flush_if<Ftz>(a);
  const float y = flush_if<Ftz>(b);
  if constexpr (R == Rounding::kNearestEven) {
    const float product = x * y;
    return finish<false, Sat>(Ftz ? detail::flush_rounded(product, (x * 0x1p24f) * y) : product);
  } else {
    return detail::finish_exact<R, Ftz, Sat>(static_cast<double>(x) * static_cast<double>(y));
  }
}

template <Rounding R = Rounding::kNearestEven, bool Ftz = false, bool Sat = false>
inline float fma(float a, float b, float c) {
  const float x = flush_if<Ftz>(a);
  const float y = flush_if<Ftz>(b);
  const float z = flush_if<Ftz>(c);
  if constexpr (R == Rounding::kNearestEven) {
    const float sum = std::fma(x, y, z);
    if constexpr (!Ftz) return finish<false, Sat>(sum);
    return finish<false, Sat>(detail::flush_rounded(sum, std::fma(x * 0x1p24f, y, z * 0x1p24f)));
  } else {
    const double product = static_cast<double>(x) * static_cast<double>(y);
    return detail::finish_exact<R, Ftz, Sat>(detail::add_odd<R == Rounding::kDown>(product, z));
  }
}

template <Rounding R = Rounding::kNearestEven, bool Ftz = false>
inline float div(float a, float b) {
  const float x = flush_if<Ftz>(a);
  const float y = flush_if<Ftz>(b);
  if constexpr (R == Rounding::kNearestEven) {
    return finish<Ftz>(x / y);  // no quotient of two f32 lies where the two ways of being tiny differ
  } else {
    const double quotient = static_cast<double>(x) / static_cast<double>(y);
    const double rest = std::fma(-quotient, static_cast<double>(y), static_cast<double>(x));
    return detail::finish_exact<R, Ftz, false>(detail::to_odd(quotient, y < 0.0f ? -rest : rest));
  }
}

template <Rounding R = Rounding::kNearestEven, bool Ftz = false>
inline float rcp(float a) {
  return div<R, Ftz>(1.0f, a);
}

template <Rounding R = Rounding::kNearestEven, bool Ftz = false>
inline float sqrt(float a) {
  const float x = flush_if<Ftz>(a);
  if constexpr (R == Rounding::kNearestEven) {
    return finish(std::sqrt(x));
  } else {
    const double root = std::sqrt(static_cast<double>(x));
    const double rest = std::fma(-root, root, static_cast<double>(x));
    return finish(detail::to_float<R>(detail::to_odd(root, rest)));
  }
}

// abs and neg canonicalise NaN like arithmetic does.
template <bool Ftz = false>
constexpr float abs(float a) {
  return canonical(float_of(bits_of(flush_if<Ftz>(a)) & ~kSign32));
}
template <bool Ftz = false>
constexpr float neg(float a) {
  return canonical(float_of(bits_of(flush_if<Ftz>(a)) ^ kSign32));
}

template <bool Ftz = false, bool PropagateNaN = false, bool XorSign = false>
constexpr float min(float a, float b) {
  return extreme<Extreme::kMin, Ftz, PropagateNaN, XorSign>(a, b);
}
template <bool Ftz = false, bool PropagateNaN = false, bool XorSign = false>
constexpr float max(float a, float b) {
  return extreme<Extreme::kMax, Ftz, PropagateNaN, XorSign>(a, b);
}

// copysign d, a, b: the magnitude of b with the sign of a. Bits only.
constexpr float copysign(float a, float b) {
  return float_of((bits_of(a) & kSign32) | (bits_of(b) & ~kSign32));
}

// testp. The manual's `normal` excludes zero; the H200 counts zero as normal, and so does this.
enum class FloatTest : std::uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };

template <FloatTest T, typename Float>
constexpr bool testp(Float a) {
  if constexpr (T == FloatTest::kFinite) return is_finite(a);
  if constexpr (T == FloatTest::kInfinite) return is_inf(a);
  if constexpr (T == FloatTest::kNumber) return !is_nan(a);
  if constexpr (T == FloatTest::kNotANumber) return is_nan(a);
  if constexpr (T == FloatTest::kNormal) return is_finite(a) && !is_subnormal(a);
  return is_subnormal(a);
}

}  // namespace gpuloom::ptx::numeric
