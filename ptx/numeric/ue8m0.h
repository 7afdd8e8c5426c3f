// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx::numeric {

// ue8m0: a scale factor 2^(code - 127); 0xff is NaN. The sign of the source is ignored, everything up to
// 2^-127 is code 0. cvt.{rz,rp}{.satfinite}.ue8m0x2.{f32,bf16x2}: without .satfinite infinity and rounded-up
// overflow become NaN.
template <Rounding R, bool SatFinite>
constexpr std::uint8_t float_to_ue8m0(float x) {
  static_assert(R == Rounding::kZero || R == Rounding::kUp);
  const std::uint32_t magnitude = bits_of(x) & ~kSign32;
  std::uint32_t code = magnitude >> 23;
  if constexpr (R == Rounding::kUp) {
    const bool above = (magnitude & 0x7fffffu) != 0 && magnitude > 0x00400000u && magnitude < kInf32;
    code += above ? 1u : 0u;
  }
  if constexpr (SatFinite) code = magnitude <= kInf32 && code == 0xffu ? 0xfeu : code;
  return static_cast<std::uint8_t>(code);
}

template <Rounding R, bool SatFinite>
constexpr std::uint16_t floats_to_ue8m0x2(float upper, float lower) {
  const std::uint32_t u = float_to_ue8m0<R, SatFinite>(upper);
  return static_cast<std::uint16_t>((u << 8) | float_to_ue8m0<R, SatFinite>(lower));
}
template <Rounding R, bool SatFinite>
constexpr std::uint16_t bf16x2_to_ue8m0x2(std::uint32_t x) {
  return floats_to_ue8m0x2<R, SatFinite>(bf16_to_float(upper_16(x)), bf16_to_float(lower_16(x)));
}

constexpr float ue8m0_to_float(std::uint8_t code) {
  const std::uint32_t b = code == 0 ? 0x00400000u : static_cast<std::uint32_t>(code) << 23;
  return float_of(code == 0xff ? kNaN32 : b);
}
// cvt.rn.bf16x2.ue8m0x2
constexpr std::uint32_t ue8m0x2_to_bf16x2(std::uint16_t codes) {
  return pack_16x2(float_to_bf16(ue8m0_to_float(static_cast<std::uint8_t>(codes >> 8))),
                   float_to_bf16(ue8m0_to_float(static_cast<std::uint8_t>(codes))));
}

}  // namespace gpuloom::ptx::numeric
