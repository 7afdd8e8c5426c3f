// SPDX-License-Identifier: Apache-2.0
// The dot product of a tensor core: how Hopper's mma adds up products of low-precision floats.
//
// Measured on the H200 (silicon conformance cases mma.*.real: 0 of 768 f32 results differ; blocks of 4 or 8,
// or 23, 24, 26, 27 fraction bits, all differ somewhere): the products of a block are exact; they and the
// accumulator are aligned to the largest exponent among them (of unnormalised products: the sum of the
// factors' exponents), truncated to 25 fraction bits, added exactly, and the sum is truncated to f32 (or
// rounded to nearest even for f16 results). A block is 16 products of f16 or bf16, 8 of tf32, also where A is
// sparse and in wgmma. wgmma of fp8: 32 products, 13 fraction bits (tests/conformance/wgmma).
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx::numeric {

// value = mantissa * 2^(exponent - fraction_bits of the format); exponent is kZeroExponent for zero.
struct Unpacked {
  int32_t mantissa;
  int32_t exponent;
};
inline constexpr int32_t kZeroExponent = -20000;
inline constexpr int kDotFractionBits = 25;

// A binary format of at most 32 bits with an implicit leading one and subnormals.
struct FloatFormat {
  int exponent_bits, fraction_bits;
  bool has_infinity;  // otherwise only the all-ones code is special (e4m3)
};
inline constexpr FloatFormat kFormatF16{5, 10, true}, kFormatBf16{8, 7, true}, kFormatTf32{8, 10, true},
    kFormatE4m3{4, 3, false}, kFormatE5m2{5, 2, true}, kFormatF32{8, 23, true};

constexpr bool is_special(uint32_t code, FloatFormat f) {
  const uint32_t fraction = code & ((1u << f.fraction_bits) - 1);
  const uint32_t exponent = (code >> f.fraction_bits) & ((1u << f.exponent_bits) - 1);
  const bool top = exponent == (1u << f.exponent_bits) - 1;
  return f.has_infinity ? top : top && fraction == (1u << f.fraction_bits) - 1;
}

constexpr Unpacked unpack(uint32_t code, FloatFormat f) {
  const int32_t fraction = static_cast<int32_t>(code & ((1u << f.fraction_bits) - 1));
  const int32_t field = static_cast<int32_t>((code >> f.fraction_bits) & ((1u << f.exponent_bits) - 1));
  const bool negative = ((code >> (f.fraction_bits + f.exponent_bits)) & 1u) != 0;
  const int32_t bias = (1 << (f.exponent_bits - 1)) - 1;
  const int32_t mantissa = field == 0 ? fraction : fraction | (1 << f.fraction_bits);
  if (mantissa == 0) return {0, kZeroExponent};
  return {negative ? -mantissa : mantissa, field == 0 ? 1 - bias : field - bias};
}

// A sum of aligned terms: significand * 2^(exponent - kDotFractionBits).
struct DotSum {
  int64_t significand;
  int32_t exponent;
};

// Truncates to f32; beyond the largest f32 it is infinite.
constexpr uint32_t dot_to_f32(DotSum sum) {
  if (sum.significand == 0) return 0;
  const uint32_t sign = sum.significand < 0 ? kSign32 : 0;
  const uint64_t magnitude = static_cast<uint64_t>(sum.significand < 0 ? -sum.significand : sum.significand);
  const int length = static_cast<int>(std::bit_width(magnitude));
  const int scale = sum.exponent - kDotFractionBits;  // of bit 0
  int exponent = length - 1 + scale;
  if (exponent > 127) return sign | kInf32;
  const int lowest = exponent < -126 ? -149 : exponent - 23;  // weight of the last bit kept
  const int shift = lowest - scale;
  const uint64_t kept = shift > 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
  // What truncation leaves nothing of is +0, whatever its sign was (H200: bf16 and tf32 products below
  // 2^-149).
  if (exponent < -126) return kept == 0 ? 0 : sign | static_cast<uint32_t>(kept);
  return sign | (static_cast<uint32_t>(exponent + 127) << 23) | (static_cast<uint32_t>(kept) & 0x7fffffu);
}

// Rounds to nearest even; the significand has at most 32 bits, so the double is exact.
inline uint16_t dot_to_f16(DotSum sum) {
  const uint16_t half =
      double_to_half(std::ldexp(static_cast<double>(sum.significand), sum.exponent - kDotFractionBits));
  return (half & 0x7fff) == 0 ? 0 : half;  // +0, as of f32
}

// A magnitude times 2^up, of which what is behind the point goes; it has at most 27 bits then.
constexpr int64_t aligned(uint32_t magnitude, int up) {
  return up >= 0 ? int64_t{magnitude} << up : up < -31 ? 0 : int64_t{magnitude >> -up};
}

// One block: `count` products a[k] * b[k] with product_fraction_bits (of both factors together), and the
// accumulator with accumulator_fraction_bits; `aligned_bits` of the largest term's fraction count, and the
// significand is in units of the last of them. No operand may be infinite or NaN.
inline DotSum dot_block(const int32_t* a_mantissa, const int32_t* a_exponent, const int32_t* b_mantissa,
                        const int32_t* b_exponent, int count, int product_fraction_bits, Unpacked accumulator,
                        int accumulator_fraction_bits, int aligned_bits = kDotFractionBits) {
  int32_t top = accumulator.exponent;
  for (int k = 0; k < count; ++k) {
    const int32_t e = a_exponent[k] + b_exponent[k];
    top = e > top ? e : top;
  }
  if (top <= kZeroExponent / 2) return {0, 0};
  const auto term = [&](int32_t mantissa, int fraction_bits, int32_t exponent) {
    const int64_t magnitude = aligned(static_cast<uint32_t>(mantissa < 0 ? -mantissa : mantissa),
                                      aligned_bits - fraction_bits - (top - exponent));
    return mantissa < 0 ? -magnitude : magnitude;
  };
  int64_t sum = 0;
  for (int k = 0; k < count; ++k)
    sum += term(a_mantissa[k] * b_mantissa[k], product_fraction_bits, a_exponent[k] + b_exponent[k]);
  sum += term(accumulator.mantissa, accumulator_fraction_bits, accumulator.exponent);
  return {sum, top};
}

}  // namespace gpuloom::ptx::numeric
