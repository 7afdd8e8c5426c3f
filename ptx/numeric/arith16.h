// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/arith32.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"
#include "ptx/numeric/minmax.h"

namespace gpuloom::ptx::numeric {

// f16, bf16 and their pairs, on raw bits, one rounding (nearest even) each.
//
// A sum or product of two 11-bit (8-bit) significands rounded to f32's 24 bits and then to the target is the
// correctly rounded one, because 24 >= 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995);
// subnormal results too, since there the f32 step is exact. An fma has no such luck: its f32 (bf16: f64) step
// rounds to odd.

// What follows the operation: nothing, `.sat` (NaN and negatives to +0, above one to one), or `.relu`
// (negatives to +0).
enum class Clamp16 : std::uint8_t { kNone, kSat, kRelu };

namespace detail {

// The f32 counterpart of add_odd in arith32.h. The sum of an f16 product and an f16 is far from both ends of
// f32.
inline float add_odd_f32(float x, float y) {
  const float sum = x + y;
  const float y_part = sum - x;
  const float error = (x - (sum - y_part)) + (y - y_part);
  const std::uint32_t b = bits_of(sum);
  const std::uint32_t e = bits_of(error);
  const std::uint32_t inexact = (e & ~kSign32) - 1 < kInf32 - 1 ? ~0u : 0u;
  const std::uint32_t even = (b & 1) - 1;
  const std::uint32_t step = 1 - (((e ^ b) >> 31) << 1);
  return float_of(b + (step & inexact & even));
}

template <bool Ftz>
constexpr std::uint16_t flush_half_if(std::uint16_t h) {
  return Ftz ? flush_half(h) : h;
}

// `.ftz` (H200): a result is tiny if it is below 2^-14 after rounding to 11 bits with an exponent that has no
// lower end. So 0x0400 * 0x3bff, which rounds up to the smallest normal, is 0; 0x0401 * 0x3bfe is not.
template <bool Ftz, Clamp16 C>
constexpr std::uint16_t finish_half(float x) {
  const float y = C == Clamp16::kSat ? saturate(x) : x;
  const std::uint16_t rounded = float_to_half(y);
  const bool tiny = Ftz && (bits_of(y) & ~kSign32) < bits_of(0x1p-14f * (1.0f - 0x1p-12f));
  const std::uint16_t h = tiny ? static_cast<std::uint16_t>(rounded & 0x8000u) : rounded;
  return C == Clamp16::kRelu ? relu_half(h) : h;
}

template <Clamp16 C>
constexpr std::uint16_t finish_bf16(float x) {
  const std::uint16_t h = float_to_bf16(C == Clamp16::kSat ? saturate(x) : x);
  return C == Clamp16::kRelu ? relu_bf16(h) : h;
}

}  // namespace detail

template <bool Ftz = false, Clamp16 C = Clamp16::kNone>
inline std::uint16_t add_f16(std::uint16_t a, std::uint16_t b) {
  const float x = half_to_float(detail::flush_half_if<Ftz>(a));
  const float y = half_to_float(detail::flush_half_if<Ftz>(b));
  return detail::finish_half<Ftz, C>(x + y);
}
template <bool Ftz = false, Clamp16 C = Clamp16::kNone>
inline std::uint16_t sub_f16(std::uint16_t a, std::uint16_t b) {
  const float x = half_to_float(detail::flush_half_if<Ftz>(a));
  const float y = half_to_float(detail::flush_half_if<Ftz>(b));
  return detail::finish_half<Ftz, C>(x - y);
}
template <bool Ftz = false, Clamp16 C = Clamp16::kNone>
inline std::uint16_t mul_f16(std::uint16_t a, std::uint16_t b) {
  const float x = half_to_float(detail::flush_half_if<Ftz>(a));
  const float y = half_to_float(detail::flush_half_if<Ftz>(b));
  return detail::finish_half<Ftz, C>(x * y);
}
template <bool Ftz = false, Clamp16 C = Clamp16::kNone>
inline std::uint16_t fma_f16(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const float x = half_to_float(detail::flush_half_if<Ftz>(a));
  const float y = half_to_float(detail::flush_half_if<Ftz>(b));
  const float z = half_to_float(detail::flush_half_if<Ftz>(c));
  return detail::finish_half<Ftz, C>(
      detail::add_odd_f32(x * y, z));  // the product of two f16 is exact in f32
}

template <Clamp16 C = Clamp16::kNone>
inline std::uint16_t add_bf16(std::uint16_t a, std::uint16_t b) {
  return detail::finish_bf16<C>(bf16_to_float(a) + bf16_to_float(b));
}
template <Clamp16 C = Clamp16::kNone>
inline std::uint16_t sub_bf16(std::uint16_t a, std::uint16_t b) {
  return detail::finish_bf16<C>(bf16_to_float(a) - bf16_to_float(b));
}
template <Clamp16 C = Clamp16::kNone>
inline std::uint16_t mul_bf16(std::uint16_t a, std::uint16_t b) {
  return detail::finish_bf16<C>(bf16_to_float(a) * bf16_to_float(b));
}
template <Clamp16 C = Clamp16::kNone>
inline std::uint16_t fma_bf16(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const double product = bf16_to_double(a) * bf16_to_double(b);  // exact
  const double sum = detail::add_odd<false>(product, bf16_to_double(c));
  const auto h = static_cast<std::uint16_t>(narrow<kBf16, Rounding::kNearestEven, false>(sum));
  return C == Clamp16::kRelu ? relu_bf16(h) : h;
}

// fma.oob: a multiplicand that is the out-of-bounds NaN, what a tensor copy fills with on request, makes the
// result +0. On the H200 it is 0x7ff7 or 0xfff7 in both formats, and the addend does not count.
constexpr bool is_out_of_bounds_nan(std::uint16_t a) { return (a & 0x7fffu) == 0x7ff7u; }
template <Clamp16 C = Clamp16::kNone>
inline std::uint16_t fma_oob_f16(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const std::uint16_t h = fma_f16<false, C>(a, b, c);
  return is_out_of_bounds_nan(a) || is_out_of_bounds_nan(b) ? 0 : h;
}
template <Clamp16 C = Clamp16::kNone>
inline std::uint16_t fma_oob_bf16(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const std::uint16_t h = fma_bf16<C>(a, b, c);
  return is_out_of_bounds_nan(a) || is_out_of_bounds_nan(b) ? 0 : h;
}

template <bool Ftz = false>
constexpr std::uint16_t abs_f16(std::uint16_t a) {
  const std::uint16_t m = static_cast<std::uint16_t>(detail::flush_half_if<Ftz>(a) & 0x7fffu);
  return m > 0x7c00u ? kNaN16 : m;
}
template <bool Ftz = false>
constexpr std::uint16_t neg_f16(std::uint16_t a) {
  const std::uint16_t n = static_cast<std::uint16_t>(detail::flush_half_if<Ftz>(a) ^ 0x8000u);
  return (n & 0x7fffu) > 0x7c00u ? kNaN16 : n;
}
constexpr std::uint16_t abs_bf16(std::uint16_t a) {
  const std::uint16_t m = a & 0x7fffu;
  return m > 0x7f80u ? kNaNBf16 : m;
}
constexpr std::uint16_t neg_bf16(std::uint16_t a) {
  return (a & 0x7fffu) > 0x7f80u ? kNaNBf16 : static_cast<std::uint16_t>(a ^ 0x8000u);
}

template <Extreme E, bool Ftz = false, bool PropagateNaN = false, bool XorSign = false>
constexpr std::uint16_t extreme_f16(std::uint16_t a, std::uint16_t b) {
  return extreme_bits<std::uint16_t, 0x7c00, kNaN16, E, PropagateNaN, XorSign>(detail::flush_half_if<Ftz>(a),
                                                                               detail::flush_half_if<Ftz>(b));
}
template <Extreme E, bool PropagateNaN = false, bool XorSign = false>
constexpr std::uint16_t extreme_bf16(std::uint16_t a, std::uint16_t b) {
  return extreme_bits<std::uint16_t, 0x7f80, kNaNBf16, E, PropagateNaN, XorSign>(a, b);
}

// Any of the functions above on both halves of a 32-bit register: pairwise<add_f16<true>>(a, b).
template <auto F>
inline std::uint32_t pairwise(std::uint32_t a) {
  return pack_16x2(F(upper_16(a)), F(lower_16(a)));
}
template <auto F>
inline std::uint32_t pairwise(std::uint32_t a, std::uint32_t b) {
  return pack_16x2(F(upper_16(a), upper_16(b)), F(lower_16(a), lower_16(b)));
}
template <auto F>
inline std::uint32_t pairwise(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return pack_16x2(F(upper_16(a), upper_16(b), upper_16(c)), F(lower_16(a), lower_16(b), lower_16(c)));
}

}  // namespace gpuloom::ptx::numeric
