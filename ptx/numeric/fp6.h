// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/fp8.h"

namespace gpuloom::ptx::numeric {

// e2m3 and e3m2: six bits in a byte, no infinity, no NaN (a NaN converts to +largest).
// cvt.rn.satfinite{.relu}.{e2m3x2,e3m2x2}.f32 and cvt.rn{.relu}.f16x2.{e2m3x2,e3m2x2}
template <bool Relu = false>
constexpr std::uint16_t floats_to_e2m3x2(float upper, float lower) {
  return floats_to_codes<kE2m3, Relu>(upper, lower);
}
template <bool Relu = false>
constexpr std::uint16_t floats_to_e3m2x2(float upper, float lower) {
  return floats_to_codes<kE3m2, Relu>(upper, lower);
}
template <bool Relu = false>
constexpr std::uint32_t e2m3x2_to_halves(std::uint16_t codes) {
  return codes_to_halves<kE2m3, Relu>(codes);
}
template <bool Relu = false>
constexpr std::uint32_t e3m2x2_to_halves(std::uint16_t codes) {
  return codes_to_halves<kE3m2, Relu>(codes);
}

constexpr float e2m3_to_float(std::uint8_t code) { return static_cast<float>(widen<kE2m3>(code)); }
constexpr float e3m2_to_float(std::uint8_t code) { return static_cast<float>(widen<kE3m2>(code)); }

}  // namespace gpuloom::ptx::numeric
