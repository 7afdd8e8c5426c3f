// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace gpuloom::ptx::numeric {

// Raw bits of the host's IEEE types, and the NaN that the hardware produces.

constexpr std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr float float_of(std::uint32_t b) { return std::bit_cast<float>(b); }
constexpr double double_of(std::uint64_t b) { return std::bit_cast<double>(b); }

inline constexpr std::uint32_t kNaN32 = 0x7fffffffu;            // every f32 result that is a NaN (H200)
inline constexpr std::uint64_t kNaN64 = 0xfff8000000000000ull;  // an f64 operation that is invalid (H200)
inline constexpr std::uint32_t kSign32 = 0x80000000u;
inline constexpr std::uint64_t kSign64 = 0x8000000000000000ull;
inline constexpr std::uint32_t kInf32 = 0x7f800000u;
inline constexpr std::uint64_t kInf64 = 0x7ff0000000000000ull;
inline constexpr std::uint64_t kQuiet64 = 0x0008000000000000ull;

constexpr bool is_nan(float x) { return (bits_of(x) & ~kSign32) > kInf32; }
constexpr bool is_nan(double x) { return (bits_of(x) & ~kSign64) > kInf64; }
constexpr bool is_inf(float x) { return (bits_of(x) & ~kSign32) == kInf32; }
constexpr bool is_inf(double x) { return (bits_of(x) & ~kSign64) == kInf64; }
constexpr bool is_finite(float x) { return (bits_of(x) & kInf32) != kInf32; }
constexpr bool is_finite(double x) { return (bits_of(x) & kInf64) != kInf64; }
constexpr bool is_subnormal(float x) { return (bits_of(x) & kInf32) == 0 && (bits_of(x) & ~kSign32) != 0; }
constexpr bool is_subnormal(double x) { return (bits_of(x) & kInf64) == 0 && (bits_of(x) & ~kSign64) != 0; }

// The NaN that f32 instructions write. A select on integers, so that no compiler may call any NaN as good as
// another.
constexpr float canonical(float x) { return float_of(x != x ? kNaN32 : bits_of(x)); }

constexpr double quiet(double x) { return double_of(is_nan(x) ? bits_of(x) | kQuiet64 : bits_of(x)); }

// `.ftz`: a subnormal becomes a zero of its sign.
constexpr float flush(float x) {
  const std::uint32_t b = bits_of(x);
  return float_of((b & kInf32) == 0 ? b & kSign32 : b);
}
template <bool Ftz>
constexpr float flush_if(float x) {
  return Ftz ? flush(x) : x;
}

// `.sat`: clamps to [+0, 1]; NaN and -0 give +0.
constexpr float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
constexpr double saturate(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

// What f32 instructions do to an exact result: `.ftz`, then `.sat` or the canonical NaN.
template <bool Ftz = false, bool Sat = false>
constexpr float finish(float x) {
  if constexpr (Sat) return saturate(flush_if<Ftz>(x));
  return canonical(flush_if<Ftz>(x));
}

}  // namespace gpuloom::ptx::numeric
