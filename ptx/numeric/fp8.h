// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
// narrow() of narrow.h from f32, to nearest even and saturating: words half as long, so that a loop over
// lanes keeps twice as many in a register.
template <const NarrowFormat& F>
constexpr std::uint32_t narrow_float(float x) {
  constexpr std::uint32_t kDrop = 23 - F.fraction_bits;
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - F.bias) << 23;
  constexpr std::int32_t kMost = 30 - kDrop;  // a shift that drops everything
  const std::uint32_t b = bits_of(x);
  const std::uint32_t magnitude = b & ~kSign32;
  // Below the smallest normal the significand shifts right by one for each missing power of two.
  const std::int32_t missing = (128 - F.bias) - static_cast<std::int32_t>(magnitude >> 23);
  const std::int32_t more = missing < 0 ? 0 : (missing < kMost ? missing : kMost);
  const std::uint32_t hidden = (magnitude >> 23) != 0 ? 1u << 23 : 0;
  const std::uint32_t significand = missing > 0 ? (magnitude & 0x007fffffu) | hidden : magnitude - kRebias;
  const std::uint32_t shifted = significand >> more;
  const std::uint32_t sticky = (shifted << more) != significand ? 1 : 0;
  const std::uint32_t odd = (shifted >> kDrop) & 1;
  std::uint32_t code = ((shifted | sticky) + (1u << (kDrop - 1)) - 1 + odd) >> kDrop;
  code = code > F.max_code ? F.max_code : code;
  code |= (b >> 31) * sign_mask(F);
  return magnitude > kInf32 ? F.nan_code : code;
}

template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint8_t float_to_code(float x) {
  const std::uint32_t code = narrow_float<F>(x);
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
  const std::uint32_t u = float_to_code<F, Relu>(upper);
  return static_cast<std::uint16_t>((u << 8) | float_to_code<F, Relu>(lower));
}
template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint16_t halves_to_codes(std::uint32_t f16x2) {
  const std::uint32_t u = float_to_code<F, Relu>(half_to_float(upper_16(f16x2)));
  return static_cast<std::uint16_t>((u << 8) | float_to_code<F, Relu>(half_to_float(lower_16(f16x2))));
}
// All codes of a format, for what converts many.
template <const NarrowFormat& F, bool Relu>
inline constexpr std::array<std::uint16_t, 256> kHalfOfCode = [] {
  std::array<std::uint16_t, 256> halves{};
  for (std::uint32_t code = 0; code < halves.size(); ++code)
    halves[code] = code_to_half<F, Relu>(static_cast<std::uint8_t>(code));
  return halves;
}();
template <const NarrowFormat& F, bool Relu = false>
constexpr std::uint32_t codes_to_halves(std::uint16_t codes) {
  return pack_16x2(kHalfOfCode<F, Relu>[codes >> 8], kHalfOfCode<F, Relu>[codes & 0xffu]);
}

}  // namespace gpuloom::ptx::numeric
