// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"
#include "ptx/numeric/narrow.h"

namespace gpuloom::ptx::numeric {

// The 8-, 6- and 4-bit formats share one shape of conversion: to them always .satfinite, from them exact into
// f16. `F` is kE4m3, kE5m2, kE2m3, kE3m2 or kE2m1 (whose pairs are in fp4.h); a code is in the lower bits,
// the bits above it zero. Six bits and less have no infinity and no NaN (a NaN converts to +largest).

template <const NarrowFormat& F, bool Relu = false, Rounding R = Rounding::kNearestEven>
constexpr std::uint8_t double_to_code(double x) {
  const std::uint32_t code = narrow<F, R, true>(x);
  return static_cast<std::uint8_t>(Relu ? relu_code<F>(code) : code);
}
template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint16_t code_to_half(std::uint8_t code) {
  // Every such value is an f16, and a NaN becomes the canonical one.
  const auto h = static_cast<std::uint16_t>(narrow<kF16, Rounding::kNearestEven, false>(widen<F>(code)));
  return Relu ? relu_half(h) : h;
}

// Packed pairs: the first PTX operand is the upper element. cvt.rn.satfinite{.relu}.{e4m3x2,...}.{f32,f16x2}
// and cvt.rn{.relu}.f16x2.{e4m3x2,...}
template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint16_t floats_to_codes(float upper, float lower) {
  const std::uint32_t u = double_to_code<F, Relu>(static_cast<double>(upper));
  return static_cast<std::uint16_t>((u << 8) | double_to_code<F, Relu>(static_cast<double>(lower)));
}
template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint16_t halves_to_codes(std::uint32_t f16x2) {
  const std::uint32_t u = double_to_code<F, Relu>(half_to_double(upper_16(f16x2)));
  return static_cast<std::uint16_t>((u << 8) | double_to_code<F, Relu>(half_to_double(lower_16(f16x2))));
}
template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint32_t codes_to_halves(std::uint16_t codes) {
  return pack_16x2(code_to_half<F, Relu>(static_cast<std::uint8_t>(codes >> 8)),
                   code_to_half<F, Relu>(static_cast<std::uint8_t>(codes)));
}

}  // namespace gpuloom::ptx::numeric
