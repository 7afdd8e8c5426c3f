// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/narrow.h"

namespace gpuloom::ptx::numeric {

// f16 (IEEE binary16) as raw bits. NaN results are 0x7fff, as on the H200.
inline constexpr std::uint16_t kNaN16 = 0x7fff;

// Exact. A NaN becomes the canonical f32 NaN. (No f32 subnormal on the way: those are slow on some hosts.)
constexpr float half_to_float(std::uint16_t h) {
  const std::uint32_t magnitude = h & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const std::uint32_t subnormal =
      bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  std::uint32_t b = magnitude < 0x0400u ? subnormal : normal;
  b = magnitude == 0x7c00u ? kInf32 : b;
  return float_of(magnitude > 0x7c00u ? kNaN32 : (b | sign));
}

// Exact. A NaN keeps its sign and payload, quieted, as cvt.f64.f16 does on the H200.
constexpr double half_to_double(std::uint16_t h) { return widen<kF16>(h); }

// A NaN keeps its sign and the upper part of its payload, quieted, as cvt.f16.f64 does on the H200.
template <Rounding R = Rounding::kNearestEven, bool SatFinite = false>
constexpr std::uint16_t double_to_half(double x) {
  return static_cast<std::uint16_t>(is_nan(x) ? narrow_nan<kF16>(x) : narrow<kF16, R, SatFinite>(x));
}

// `.ftz` of cvt.f16.f32 changes nothing, on the H200 not even where a subnormal rounds up: leave the source
// as it is.
template <Rounding R = Rounding::kNearestEven, bool SatFinite = false>
constexpr std::uint16_t float_to_half(float x) {
  if constexpr (R != Rounding::kNearestEven) {
    return static_cast<std::uint16_t>(narrow<kF16, R, SatFinite>(static_cast<double>(x)));
  } else {
    // 32-bit arithmetic only, so that a loop over lanes keeps eight of them in a register.
    const std::uint32_t b = bits_of(x);
    const std::uint32_t magnitude = b & ~kSign32;
    const std::uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
    // Adding 0.5 aligns a subnormal so that the addition itself rounds it at bit 0.
    const std::uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
    std::uint32_t code = magnitude < 0x38800000u ? subnormal : normal;
    constexpr std::uint32_t kTop = SatFinite ? 0x7bffu : 0x7c00u;
    code = magnitude >= 0x477fe000u && code > kTop ? kTop : code;
    code |= (b >> 16) & 0x8000u;
    return static_cast<std::uint16_t>(magnitude > kInf32 ? kNaN16 : code);
  }
}

// `.ftz` on a value already in f16.
constexpr std::uint16_t flush_half(std::uint16_t h) {
  return static_cast<std::uint16_t>((h & 0x7c00u) == 0 ? h & 0x8000u : h);
}

// `.relu`: negative values and -0 become +0, NaN the canonical NaN.
constexpr std::uint16_t relu_half(std::uint16_t h) {
  const std::uint16_t positive = (h & 0x8000u) != 0 ? 0 : h;
  return (h & 0x7fffu) > 0x7c00u ? kNaN16 : positive;
}

constexpr std::uint32_t pack_16x2(std::uint16_t upper, std::uint16_t lower) {
  return (static_cast<std::uint32_t>(upper) << 16) | lower;
}
constexpr std::uint16_t lower_16(std::uint32_t x) { return static_cast<std::uint16_t>(x); }
constexpr std::uint16_t upper_16(std::uint32_t x) { return static_cast<std::uint16_t>(x >> 16); }

}  // namespace gpuloom::ptx::numeric
