// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx::numeric {

// A floating-point format that is narrower than f64, and how it says infinity and NaN.
// The value of a code is that of IEEE 754: exponent field E, fraction field M, gradual underflow.
struct NarrowFormat {
  int exponent_bits;
  int fraction_bits;
  int bias;
  std::uint32_t max_code;  // largest finite magnitude
  std::uint32_t inf_code;  // infinity; equals max_code where the format has none
  std::uint32_t nan_code;  // the NaN written on conversion; a format without NaN writes its largest magnitude
  bool has_inf;
  bool has_nan;
};

// PTX ISA 5.2.2 "Restricted Use of Sub-Word Sizes" and 5.2.3 "Alternate Floating-Point Data Formats"; the
// NaNs are those that the H200 writes (f16, bf16, e4m3, e5m2) or that the manual's .satfinite paragraph gives
// (e2m3, e3m2, e2m1).
inline constexpr NarrowFormat kF32{8, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fffffff, true, true};
inline constexpr NarrowFormat kF16{5, 10, 15, 0x7bff, 0x7c00, 0x7fff, true, true};
inline constexpr NarrowFormat kBf16{8, 7, 127, 0x7f7f, 0x7f80, 0x7fff, true, true};
inline constexpr NarrowFormat kE4m3{4, 3, 7, 0x7e, 0x7e, 0x7f, false, true};
inline constexpr NarrowFormat kE5m2{5, 2, 15, 0x7b, 0x7c, 0x7f, true, true};
inline constexpr NarrowFormat kE2m3{2, 3, 1, 0x1f, 0x1f, 0x1f, false, false};
inline constexpr NarrowFormat kE3m2{3, 2, 3, 0x1f, 0x1f, 0x1f, false, false};
inline constexpr NarrowFormat kE2m1{2, 1, 1, 0x7, 0x7, 0x7, false, false};

constexpr std::uint32_t sign_mask(const NarrowFormat& f) { return 1u << (f.exponent_bits + f.fraction_bits); }

// Rounds the magnitude of a finite or infinite f64 to a code of the format as if its exponent had no upper
// end, so that an overflow shows as a code above max_code.
template <const NarrowFormat& F, Rounding R>
constexpr std::uint64_t round_magnitude(std::uint64_t magnitude, std::uint64_t negative) {
  constexpr std::int64_t kDrop = 52 - F.fraction_bits;
  constexpr std::uint64_t kRebias = static_cast<std::uint64_t>(1023 - F.bias) << 52;
  constexpr std::uint64_t kSmallestNormal = kRebias + (std::uint64_t{1} << 52);
  // Below the smallest normal the significand shifts right by one for each missing power of two; 62 drops
  // everything.
  const auto exponent = static_cast<std::int64_t>(magnitude >> 52);
  const std::int64_t missing = static_cast<std::int64_t>(kSmallestNormal >> 52) - exponent;
  const std::int64_t more = missing < 0 ? 0 : (missing < 62 - kDrop ? missing : 62 - kDrop);
  const std::uint64_t hidden = exponent != 0 ? std::uint64_t{1} << 52 : 0;
  const std::uint64_t fraction = (magnitude & 0x000fffffffffffffull) | hidden;
  const std::uint64_t significand = missing > 0 ? fraction : magnitude - kRebias;
  const std::uint64_t shifted = significand >> more;
  const std::uint64_t sticky = (shifted << more) != significand ? 1 : 0;
  const std::uint64_t odd = (shifted >> kDrop) & 1;
  return ((shifted | sticky) + rounding_addend<R>(negative, odd, std::uint64_t{1} << (kDrop - 1))) >> kDrop;
}

// Whether an overflow may become infinity, the code after the largest number.
template <const NarrowFormat& F, bool SatFinite>
constexpr bool top_is_open() {
  static_assert(!F.has_inf || F.inf_code == F.max_code + 1);
  return F.has_inf && !SatFinite;
}

// f64 to the format: one rounding. Saturating (.satfinite), or overflowing as IEEE 754 says for the rounding
// mode. Returns the code with its sign bit in place. Exact for any source that converts to f64 exactly (f16,
// bf16, f32).
template <const NarrowFormat& F, Rounding R, bool SatFinite>
constexpr std::uint32_t narrow(double x) {
  const std::uint64_t b = bits_of(x);
  const std::uint64_t magnitude = b & ~kSign64;
  const std::uint64_t negative = b >> 63;
  std::uint64_t code = round_magnitude<F, R>(magnitude, negative);
  std::uint64_t top = F.inf_code;  // what an overflow gives
  if constexpr (SatFinite || !F.has_inf || R == Rounding::kZero) top = F.max_code;
  if constexpr (R == Rounding::kDown && top_is_open<F, SatFinite>()) top = F.max_code + negative;
  if constexpr (R == Rounding::kUp && top_is_open<F, SatFinite>()) top = F.inf_code - negative;
  code = code > F.max_code ? top : code;
  if constexpr (top_is_open<F, SatFinite>()) code = magnitude == kInf64 ? F.inf_code : code;
  code |= negative * sign_mask(F);
  return static_cast<std::uint32_t>(magnitude > kInf64 ? F.nan_code : code);
}

// The NaN that keeps sign and upper payload of an f64 NaN, quieted.
template <const NarrowFormat& F>
constexpr std::uint32_t narrow_nan(double x) {
  const std::uint64_t b = bits_of(x) | kQuiet64;
  const std::uint32_t fraction =
      static_cast<std::uint32_t>((b & 0x000fffffffffffffull) >> (52 - F.fraction_bits));
  return fraction | F.inf_code | ((b >> 63) != 0 ? sign_mask(F) : 0);
}

// Code (sign bit included, higher bits ignored) to f64, exactly. A NaN keeps its payload, quieted.
template <const NarrowFormat& F>
constexpr double widen(std::uint32_t code) {
  const std::uint32_t magnitude = code & (sign_mask(F) - 1);
  const std::uint64_t sign = (code & sign_mask(F)) != 0 ? kSign64 : 0;
  // Put the fields where f64 has them; the product with a power of two normalises subnormals.
  constexpr std::uint64_t kScaleExponent = 1023 + (1023 - F.bias);
  const double scaled = double_of(static_cast<std::uint64_t>(magnitude) << (52 - F.fraction_bits)) *
                        double_of(kScaleExponent << 52);
  std::uint64_t b = bits_of(scaled);
  if (F.has_inf && magnitude == F.inf_code) b = kInf64;
  if (F.has_nan && (F.has_inf ? magnitude > F.inf_code : magnitude == F.nan_code)) {
    const std::uint64_t payload = static_cast<std::uint64_t>(magnitude) << (52 - F.fraction_bits);
    b = kInf64 | kQuiet64 | (payload & 0x000fffffffffffffull);
  }
  return double_of(b | sign);
}

// `.relu`: negative results and -0 become +0; NaN stays.
template <const NarrowFormat& F>
constexpr std::uint32_t relu_code(std::uint32_t code) {
  return (code & sign_mask(F)) != 0 ? 0 : code;
}

}  // namespace gpuloom::ptx::numeric
