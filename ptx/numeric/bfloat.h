// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/narrow.h"

namespace gpuloom::ptx::numeric {

// bf16 (the upper half of an f32) as raw bits. NaN results are 0x7fff, as on the H200.
inline constexpr std::uint16_t kNaNBf16 = 0x7fff;

// Exact, NaN payload included (cvt.f32.bf16; with .ftz the H200 makes the NaN canonical).
constexpr float bf16_to_float(std::uint16_t h) { return float_of(static_cast<std::uint32_t>(h) << 16); }
constexpr double bf16_to_double(std::uint16_t h) { return static_cast<double>(bf16_to_float(h)); }

template <Rounding R = Rounding::kNearestEven, bool SatFinite = false>
constexpr std::uint16_t float_to_bf16(float x) {
  const std::uint32_t b = bits_of(x);
  const std::uint32_t magnitude = b & ~kSign32;
  const std::uint32_t odd = (magnitude >> 16) & 1u;
  // A carry out of the largest number gives infinity, as it should.
  std::uint32_t code = (magnitude + rounding_addend<R>(b >> 31, odd, 0x8000u)) >> 16;
  if constexpr (SatFinite) code = code > 0x7f7fu ? 0x7f7fu : code;
  code |= (b >> 16) & 0x8000u;
  return static_cast<std::uint16_t>(magnitude > kInf32 ? kNaNBf16 : code);
}

// A NaN keeps its sign and the upper part of its payload, quieted, as cvt.bf16.f64 does on the H200.
template <Rounding R = Rounding::kNearestEven, bool SatFinite = false>
constexpr std::uint16_t double_to_bf16(double x) {
  return static_cast<std::uint16_t>(is_nan(x) ? narrow_nan<kBf16>(x) : narrow<kBf16, R, SatFinite>(x));
}

constexpr std::uint16_t flush_bf16(std::uint16_t h) {
  return static_cast<std::uint16_t>((h & 0x7f80u) == 0 ? h & 0x8000u : h);
}

constexpr std::uint16_t relu_bf16(std::uint16_t h) {
  const std::uint16_t positive = (h & 0x8000u) != 0 ? 0 : h;
  return (h & 0x7fffu) > 0x7f80u ? kNaNBf16 : positive;
}

}  // namespace gpuloom::ptx::numeric
