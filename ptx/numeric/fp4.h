// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/fp8.h"

namespace gpuloom::ptx::numeric {

// e2m1: two codes in a byte (the upper element in the upper four bits), no infinity, no NaN (a NaN converts
// to +6). cvt.rn.satfinite{.relu}.e2m1x2.f32 and cvt.rn{.relu}.f16x2.e2m1x2
template <bool Relu = false>
constexpr std::uint8_t floats_to_e2m1x2(float upper, float lower) {
  const std::uint32_t u = double_to_code<kE2m1, Relu>(static_cast<double>(upper));
  return static_cast<std::uint8_t>((u << 4) | double_to_code<kE2m1, Relu>(static_cast<double>(lower)));
}
template <bool Relu = false>
constexpr std::uint32_t e2m1x2_to_halves(std::uint8_t codes) {
  return pack_16x2(code_to_half<kE2m1, Relu>(static_cast<std::uint8_t>(codes >> 4)),
                   code_to_half<kE2m1, Relu>(static_cast<std::uint8_t>(codes & 0xfu)));
}

}  // namespace gpuloom::ptx::numeric
