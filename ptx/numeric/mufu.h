// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/mufu_tables.h"

namespace gpuloom::ptx::numeric::mufu {

// The machine instruction MUFU of compute capability 9.0, bit for bit: subnormal operands are zeros,
// subnormal results are zeros, NaN results canonical. approx.h builds the PTX instructions from it as ptxas
// does.

// The square of a 17-bit number, of which the unit adds only the partial products of weight 2^19 and up; in
// units of 2^19.
constexpr std::uint32_t truncated_square(std::uint32_t x) {
  // Row i: bit i times (itself at weight 2i, each higher bit j at weight i + j + 1).
  const auto row = [x](std::uint32_t i) {
    const std::uint32_t cross = i <= 8 ? x >> (18 - i) : (x >> (i + 1)) << (2 * i - 17);
    const std::uint32_t diagonal = i >= 10 ? 1u << (2 * i - 19) : 0u;
    return (0u - ((x >> i) & 1u)) & (cross + diagonal);
  };
  return [&row]<std::uint32_t... I>(std::integer_sequence<std::uint32_t, I...>) { return (row(I + 2) + ...); }
  (std::make_integer_sequence<std::uint32_t, 15>());
}

// A segment's quadratic at `x`, 17 bits into the segment, in 2^-18 of the result's unit. `bias` is the unit's
// rounding constant.
template <int N>
constexpr std::int64_t evaluate(const Table<N>& t, std::uint32_t segment, std::uint32_t x,
                                std::int32_t bias) {
  const std::int64_t constant = static_cast<std::int64_t>(t.c0[segment]) * 32768 + bias;
  const std::int64_t linear = static_cast<std::int64_t>(t.c1[segment]) * static_cast<std::int32_t>(x);
  const std::int64_t square =
      static_cast<std::int64_t>(t.c2[segment]) * static_cast<std::int32_t>(truncated_square(x) << 2);
  return constant + linear + square;
}

inline constexpr std::int32_t kReciprocalBias = 2023 * 8;
inline constexpr std::int32_t kRootBias = -2;
inline constexpr std::int32_t kExponentialBias = 6114 * 8;
inline constexpr std::int32_t kLogarithmBias = 837 * 8;

inline constexpr std::uint32_t kFraction = 0x007fffffu;
inline constexpr std::uint32_t kSegmentMask = 0x1ffffu;

// 64 segments of the fraction, 17 bits in each.
template <int N>
constexpr std::int64_t evaluate_fraction(const Table<N>& t, std::uint32_t fraction, std::int32_t bias,
                                         std::uint32_t first_segment = 0) {
  return evaluate(t, first_segment + (fraction >> 17), fraction & kSegmentMask, bias);
}

constexpr std::uint32_t reciprocal_fraction(std::uint32_t fraction) {
  const std::int64_t sum = evaluate(kReciprocal, fraction >> 16, (fraction & 0xffffu) << 1, kReciprocalBias);
  return static_cast<std::uint32_t>(sum >> 18);
}
// `odd` exponents take the second table. A power of four is exact.
constexpr std::uint32_t reciprocal_root_fraction(std::uint32_t fraction, std::uint32_t odd) {
  const std::int64_t sum = evaluate_fraction(kReciprocalRoot, fraction, kRootBias, odd << 6);
  return (fraction | odd) == 0 ? 0x00800000u : static_cast<std::uint32_t>(sum >> 18);
}

// sum / 2^fraction_bits (below 2^52) truncated to 24 significant bits.
constexpr float truncate_to_float(std::uint64_t sum, int fraction_bits) {
  const double exact = double_of(sum | 0x4330000000000000ull) - 0x1p52;
  const double scale = double_of(static_cast<std::uint64_t>(1023 - fraction_bits) << 52);
  return static_cast<float>(double_of(bits_of(exact) & ~0x1fffffffull) * scale);
}

constexpr std::uint32_t exponent_of(std::uint32_t bits) { return (bits >> 23) & 0xffu; }

// MUFU.RCP
constexpr float rcp(float a) {
  const std::uint32_t b = bits_of(a);
  const std::uint32_t e = exponent_of(b);
  const std::int32_t magnitude = static_cast<std::int32_t>(0x3f000000u + reciprocal_fraction(b & kFraction)) -
                                 ((static_cast<std::int32_t>(e) - 127) << 23);
  std::uint32_t result = magnitude < 0x00800000 ? 0u : static_cast<std::uint32_t>(magnitude);
  result = e == 0 ? kInf32 : result;
  result = e == 255 ? 0u : result;
  result |= b & kSign32;
  return float_of(a != a ? kNaN32 : result);
}

// MUFU.RSQ
constexpr float rsq(float a) {
  const std::uint32_t b = bits_of(a);
  const std::uint32_t e = exponent_of(b);
  const std::uint32_t odd = (e & 1u) ^ 1u;
  const std::uint32_t half = static_cast<std::uint32_t>((static_cast<std::int32_t>(e) - 127) >> 1);
  std::uint32_t result = 0x3f000000u + reciprocal_root_fraction(b & kFraction, odd) - (half << 23);
  result = e == 255 ? 0u : result;
  result = (b & kSign32) != 0 ? kNaN32 : result;
  result = e == 0 ? kInf32 | (b & kSign32) : result;
  return float_of(a != a ? kNaN32 : result);
}

// MUFU.SQRT
constexpr float sqrt(float a) {
  const std::uint32_t b = bits_of(a);
  const std::uint32_t e = exponent_of(b);
  const std::uint32_t odd = (e & 1u) ^ 1u;
  const std::uint32_t half = static_cast<std::uint32_t>((static_cast<std::int32_t>(e) - 127) >> 1);
  const std::int64_t sum = evaluate_fraction(kRoot, b & kFraction, kRootBias, odd << 6);
  std::uint32_t result = 0x3f800000u + static_cast<std::uint32_t>(sum >> 18) + (half << 23);
  result = e == 255 ? kInf32 : result;
  result = (b & kSign32) != 0 ? kNaN32 : result;
  result = e == 0 ? b & kSign32 : result;
  return float_of(a != a ? kNaN32 : result);
}

// MUFU.EX2: a fixed-point operand of 23 fraction bits; a negative one is complemented, not negated, unless it
// is an integer.
constexpr float ex2(float a) {
  const std::uint32_t b = bits_of(a);
  const std::int32_t e = static_cast<std::int32_t>(exponent_of(b)) - 127;
  const std::uint32_t significand = (b & kFraction) | 0x00800000u;
  const std::int32_t shift = e < -31 ? -31 : (e < 8 ? e : 8);
  const auto fixed =
      static_cast<std::uint32_t>((static_cast<std::uint64_t>(significand) << (shift + 31)) >> 31);
  const std::uint32_t fraction = fixed & kFraction;
  const std::int32_t whole = static_cast<std::int32_t>(fixed >> 23);
  const std::int32_t negative = static_cast<std::int32_t>(b) >> 31;  // all ones or zero, as the next
  const std::int32_t complement = fraction != 0 ? negative : 0;
  const std::uint32_t position = fraction ^ (static_cast<std::uint32_t>(complement) & kFraction);
  const std::int32_t exponent = 127 + ((whole ^ negative) - negative) + complement;
  const std::int64_t sum = evaluate_fraction(kExponential, position, kExponentialBias);
  // Beyond either end the sum of exponent and fraction still orders rightly; masks rather than selects keep
  // the loop straight.
  const std::int32_t clamped = exponent < -1 ? -1 : (exponent < 256 ? exponent : 256);
  const std::int64_t wide = (static_cast<std::int64_t>(clamped) << 23) + (sum >> 18);
  const std::int64_t top = wide < kInf32 ? wide : std::int64_t{kInf32};
  const auto result = static_cast<std::uint32_t>(top & ((0x007fffff - wide) >> 63));
  return float_of(a != a ? kNaN32 : result);
}

// MUFU.LG2: exponent and table sum in fixed point of 36 fraction bits, complemented if negative, then
// normalised by truncation.
constexpr float lg2(float a) {
  const std::uint32_t b = bits_of(a);
  const std::int64_t e = static_cast<std::int64_t>(exponent_of(b)) - 127;
  const std::int64_t sum =
      e * (std::int64_t{1} << 36) + (evaluate_fraction(kLogarithm, b & kFraction, kLogarithmBias) >> 5);
  const std::int64_t negative = sum >> 63;
  const float magnitude = truncate_to_float(static_cast<std::uint64_t>(sum ^ negative), 36);
  std::uint32_t result = bits_of(magnitude) | (static_cast<std::uint32_t>(negative) & kSign32);
  result = b == 0x3f800000u ? 0u : result;
  result = b == kInf32 ? kInf32 : result;
  result = (b & kSign32) != 0 ? kNaN32 : result;
  result = (b & kInf32) == 0 ? kInf32 | kSign32 : result;
  return float_of(a != a ? kNaN32 : result);
}

// MUFU.SIN and MUFU.COS of an operand in revolutions: 25 fraction bits, of which two are the quadrant; the
// odd quadrants run backwards by complement. Cosine is a quadrant further.
template <bool Cosine>
constexpr float sine(float revolutions) {
  const std::uint32_t b = bits_of(revolutions);
  const std::int32_t shift = static_cast<std::int32_t>(exponent_of(b)) - 125;
  const std::uint32_t significand = (b & kFraction) | 0x00800000u;
  const std::int32_t left = shift < 0 ? 0 : (shift < 31 ? shift : 31);
  const std::int32_t right = shift > 0 ? 0 : (shift > -31 ? -shift : 31);
  const std::uint32_t phase = (significand << left) >> right;  // bits 25 and up are whole revolutions
  const std::uint32_t quadrant = (phase >> 23) + (Cosine ? 1u : 0u);
  const std::uint32_t fraction = phase & kFraction;
  const std::uint32_t backwards = 0u - (quadrant & 1u);
  const std::int64_t sum = evaluate_fraction(kSine, fraction ^ (backwards & kFraction), 0);
  const std::uint32_t magnitude = bits_of(truncate_to_float(static_cast<std::uint64_t>(sum >> 5), 37));
  const std::uint32_t at_start = 0x3f800000u & backwards;  // an odd quadrant starts at one
  std::uint32_t result = fraction == 0 ? at_start : magnitude;
  result ^= (quadrant & 2u) << 30;
  result ^= Cosine ? 0u : b & kSign32;
  return float_of((b & kInf32) == kInf32 ? kNaN32 : result);
}

// MUFU.TANH: the operand itself below 2^-8, one from 8; between, segments that follow the exponent: for each
// from 2^-8 the first segment and how many bits of the fraction choose it.
inline constexpr std::int32_t kTangentFirst[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
inline constexpr std::int32_t kTangentIndexBits[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
constexpr float tanh(float a) {
  const std::uint32_t b = bits_of(a);
  const std::uint32_t magnitude = b & ~kSign32;
  const std::int32_t e = static_cast<std::int32_t>(exponent_of(b));
  const std::int32_t from_first = e - 119;
  const std::int32_t row = from_first < 0 ? 0 : (from_first < 10 ? from_first : 10);
  const std::int32_t index_bits = kTangentIndexBits[row];
  const std::uint32_t index = (b & kFraction) >> (23 - index_bits);
  const std::uint32_t segment = static_cast<std::uint32_t>(kTangentFirst[row]) + index;
  const std::uint32_t position = ((b & kFraction) >> (6 - index_bits)) & kSegmentMask;
  const std::int64_t sum = evaluate(kTangent, segment, position, 0);
  std::uint32_t result = bits_of(truncate_to_float(static_cast<std::uint64_t>(sum >> 5), 37));
  // Masks rather than selects: the compiler would move the table look-ups under the condition.
  const std::uint32_t itself = 0u - ((magnitude - 0x3b800000u) >> 31);
  const std::uint32_t one = 0u - ((0x40ffffffu - magnitude) >> 31);
  result = (result & ~(itself | one)) | (magnitude & itself) | (0x3f800000u & one);
  result |= b & kSign32;
  return float_of(a != a ? kNaN32 : result);
}

// MUFU.RCP64H and MUFU.RSQ64H: from the upper word of an f64 to the upper word of the result, 20 fraction
// bits.
constexpr std::uint32_t rcp64h(std::uint32_t upper) {
  const std::uint32_t e = (upper >> 20) & 0x7ffu;
  const std::uint32_t fraction = reciprocal_fraction((upper & 0xfffffu) << 3) >> 3;
  const std::int32_t magnitude =
      static_cast<std::int32_t>(0x3fe00000u + fraction) - ((static_cast<std::int32_t>(e) - 1023) << 20);
  std::uint32_t result = magnitude < 0x00100000 ? 0u : static_cast<std::uint32_t>(magnitude);
  result = e == 0 ? 0x7ff00000u : result;
  result = e == 0x7ffu ? 0u : result;
  result |= upper & kSign32;
  return (upper & ~kSign32) > 0x7ff00000u ? 0x7fffffffu : result;
}
constexpr std::uint32_t rsq64h(std::uint32_t upper) {
  const std::uint32_t e = (upper >> 20) & 0x7ffu;
  const std::uint32_t odd = (e & 1u) ^ 1u;
  const std::uint32_t half = static_cast<std::uint32_t>((static_cast<std::int32_t>(e) - 1023) >> 1);
  const std::uint32_t fraction = reciprocal_root_fraction((upper & 0xfffffu) << 3, odd) >> 3;
  std::uint32_t result = 0x3fe00000u + fraction - (half << 20);
  result = e == 0x7ffu ? 0u : result;
  result = (upper & kSign32) != 0 ? 0x7fffffffu : result;
  result = e == 0 ? 0x7ff00000u | (upper & kSign32) : result;
  return (upper & ~kSign32) > 0x7ff00000u ? 0x7fffffffu : result;
}

}  // namespace gpuloom::ptx::numeric::mufu
