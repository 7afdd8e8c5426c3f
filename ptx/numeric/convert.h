// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ptx/numeric/arith32.h"
#include "ptx/numeric/bits.h"
#include "ptx/numeric/narrow.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx::numeric {

// cvt between f32, f64 and integers. f16 and bf16 sources go through f32, which holds them exactly; integer
// and f64 sources of narrow formats through integer_to_odd_double and narrow.h.

// cvt.{rni,rzi,rmi,rpi}.f32.f32 and .f64.f64: to an integral value of the same type. NaN is left to the
// caller.
template <Rounding R, typename Float>
inline Float round_to_integral(Float x) {
  static_assert(R != Rounding::kNearestAway);
  if constexpr (R == Rounding::kNearestEven) return std::nearbyint(x);
  if constexpr (R == Rounding::kZero) return std::trunc(x);
  if constexpr (R == Rounding::kDown) return std::floor(x);
  if constexpr (R == Rounding::kUp) return std::ceil(x);
}

// Float to integer, clamped to the destination's range (PTX ISA, cvt: float-to-integer conversions clamp by
// default). NaN: measured on the H200, as the manual allows. From f32, f16 and bf16 it is 0 up to 32 bits;
// from f64 it is the destination's sign bit; for 64-bit destinations always the sign bit.
template <typename Int, Rounding R>
inline Int to_integer(float x) {
  using Limits = std::numeric_limits<Int>;
  const float r = round_to_integral<R>(x);
  if constexpr (sizeof(Int) < 4) {
    const float low = static_cast<float>(Limits::min());
    const float high = static_cast<float>(Limits::max());
    const float clamped = r > low ? (r < high ? r : high) : low;
    return static_cast<Int>(static_cast<std::int32_t>(x != x ? 0.0f : clamped));
  } else if constexpr (sizeof(Int) == 4) {
    constexpr float kTop = 0x1p31f;
    constexpr float kBelow = 0x1p31f - 128.0f;  // the largest f32 under 2^31
    if constexpr (std::is_signed_v<Int>) {
      const float clamped = r > -kTop ? (r < kTop ? r : kBelow) : -kTop;
      const Int inside = static_cast<Int>(x != x ? 0.0f : clamped);
      return r >= kTop ? Limits::max() : inside;
    } else {
      // Two halves, because the vector units convert to signed integers only.
      const float positive = r > 0.0f ? r : 0.0f;
      const bool upper = positive >= kTop;
      const float rest = upper ? positive - kTop : positive;
      const float clamped = rest < kTop ? rest : kBelow;
      const Int inside = static_cast<Int>(static_cast<std::int32_t>(clamped)) | (upper ? 0x80000000u : 0u);
      return positive >= 0x1p32f ? Limits::max() : inside;
    }
  } else {
    if (x != x) return static_cast<Int>(kSign64);
    constexpr float kEnd = std::is_signed_v<Int> ? 0x1p63f : 0x1p64f;
    if (r >= kEnd) return Limits::max();
    if (r <= static_cast<float>(Limits::min())) return Limits::min();
    return static_cast<Int>(r);
  }
}

template <typename Int, Rounding R>
inline Int to_integer(double x) {
  using Limits = std::numeric_limits<Int>;
  constexpr Int kNaNResult = static_cast<Int>(Int{1} << (sizeof(Int) * 8 - 1));
  const double r = round_to_integral<R>(x);
  if constexpr (sizeof(Int) <= 4) {
    const double low = static_cast<double>(Limits::min());
    const double high = static_cast<double>(Limits::max());
    const double clamped = r > low ? (r < high ? r : high) : low;
    const Int inside = static_cast<Int>(static_cast<std::int64_t>(clamped));
    return x != x ? kNaNResult : inside;
  } else {
    if (x != x) return kNaNResult;
    constexpr double kEnd = std::is_signed_v<Int> ? 0x1p63 : 0x1p64;
    if (r >= kEnd) return Limits::max();
    if (r <= static_cast<double>(Limits::min())) return Limits::min();
    return static_cast<Int>(r);
  }
}

// An integer as f64, rounded to odd where it has more than 53 bits: narrow.h rounds that to any smaller
// format correctly.
template <typename Int>
constexpr double integer_to_odd_double(Int x) {
  if constexpr (sizeof(Int) <= 4) {
    return static_cast<double>(x);
  } else {
    const bool negative = x < 0;
    const auto wide = static_cast<std::uint64_t>(x);
    const std::uint64_t magnitude = negative ? 0 - wide : wide;
    // Fold the lowest 11 bits into one where the top 11 bits are in use.
    const bool big = (magnitude >> 53) != 0;
    const std::uint64_t folded = (magnitude & ~0x7ffull) | ((magnitude & 0x7ffull) != 0 ? 0x800ull : 0);
    const double d = static_cast<double>(big ? folded : magnitude);
    return negative ? -d : d;
  }
}

// cvt.{rn,rz,rm,rp}.f32.<integer>
template <Rounding R, typename Int>
constexpr float integer_to_float(Int x) {
  if constexpr (R == Rounding::kNearestEven || sizeof(Int) < 4) {
    return static_cast<float>(x);
  } else {
    return float_of(narrow<kF32, R, false>(integer_to_odd_double(x)));
  }
}

// cvt.{rn,rz,rm,rp}.f64.<integer>
template <Rounding R, typename Int>
inline double integer_to_double(Int x) {
  if constexpr (R == Rounding::kNearestEven || sizeof(Int) <= 4) {
    return static_cast<double>(x);
  } else {
    // Two exact halves; the sum is rounded in the mode asked for.
    const double high = static_cast<double>(static_cast<Int>(x & ~Int{0xffffffff}));
    const double low = static_cast<double>(static_cast<Int>(x & Int{0xffffffff}));
    const double sum = high + low;
    const double error = low - (sum - high);
    const std::uint64_t b = bits_of(sum);
    const bool over = error < 0.0;   // the exact value is below the sum
    const bool under = error > 0.0;  // and here above
    const bool negative = sum < 0.0;
    bool inward = false;
    bool outward = false;
    if constexpr (R == Rounding::kZero) inward = negative ? under : over;
    if constexpr (R == Rounding::kDown) inward = !negative && over, outward = negative && over;
    if constexpr (R == Rounding::kUp) inward = negative && under, outward = !negative && under;
    return double_of(b + (outward ? 1 : 0) - (inward ? 1 : 0));
  }
}

// cvt.{rn,rz,rm,rp}{.ftz}{.sat}.f32.f64. A NaN keeps its sign and the upper part of its payload, quieted.
template <Rounding R = Rounding::kNearestEven, bool Ftz = false, bool Sat = false>
constexpr float double_to_float(double x) {
  const float y = detail::finish_exact<R, Ftz, Sat>(x);
  return !Sat && is_nan(x) ? float_of(narrow_nan<kF32>(x)) : y;
}

// cvt{.ftz}.f64.f32. A NaN keeps its sign and payload, quieted; .ftz makes it the canonical f32 NaN first.
template <bool Ftz = false>
constexpr double float_to_double(float x) {
  const float y = Ftz ? canonical(flush(x)) : x;
  const std::uint32_t b = bits_of(y);
  const std::uint64_t payload = static_cast<std::uint64_t>(b & 0x007fffffu) << 29;
  const std::uint64_t sign = static_cast<std::uint64_t>(b & kSign32) << 32;
  const std::uint64_t nan = sign | kInf64 | kQuiet64 | payload;
  return double_of(y != y ? nan : bits_of(static_cast<double>(y)));
}

// Integer to integer: clamped by `.sat`, else truncated (a C++ cast).
template <typename To, typename From>
constexpr To saturate_integer(From x) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_signed_v<From>) {
    if constexpr (std::is_signed_v<To>) {
      if constexpr (sizeof(To) >= sizeof(From)) return static_cast<To>(x);
      if (x < static_cast<From>(Limits::min())) return Limits::min();
    } else {
      if (x < 0) return 0;
      if constexpr (sizeof(To) >= sizeof(From)) return static_cast<To>(x);
    }
  }
  if constexpr (sizeof(To) < sizeof(From) || (sizeof(To) == sizeof(From) && std::is_signed_v<To>)) {
    if (x > static_cast<From>(Limits::max())) return Limits::max();
  }
  return static_cast<To>(x);
}

}  // namespace gpuloom::ptx::numeric
