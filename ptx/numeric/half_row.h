// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/numeric/arith16.h"

#if defined(__F16C__) && defined(__AVX2__)
#define GPULOOM_HALF_ROWS
#include <immintrin.h>
#endif

namespace gpuloom::ptx::numeric {

// Arithmetic of arith16.h on many halves, eight at a time, where the host converts halves itself (F16C): to
// f32 exactly and back with one rounding, as half_to_float and float_to_half do, but for NaNs, which all
// become the canonical one at the end. Bit for bit what the function of one half gives.

// Whether F has such a row, and its value for eight halves in f32.
template <auto F>
struct HalfRow {
  static constexpr bool kKnown = false;
};

#ifdef GPULOOM_HALF_ROWS
namespace detail {

inline __m256 wide_halves(const std::uint16_t* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline void narrow_halves(std::uint16_t* to, __m256 x) {
  const __m128i codes = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m128i nans = _mm_packs_epi32(_mm256_castsi256_si128(nan), _mm256_extracti128_si256(nan, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_blendv_epi8(codes, _mm_set1_epi16(kNaN16), nans));
}

// add_odd_f32 of eight.
inline __m256 add_odd(__m256 x, __m256 y) {
  const __m256 sum = _mm256_add_ps(x, y);
  const __m256 y_part = _mm256_sub_ps(sum, x);
  const __m256 error = _mm256_add_ps(_mm256_sub_ps(x, _mm256_sub_ps(sum, y_part)), _mm256_sub_ps(y, y_part));
  const __m256i b = _mm256_castps_si256(sum), e = _mm256_castps_si256(error);
  const __m256i one = _mm256_set1_epi32(1);
  // A NaN, which infinities leave, is not an error; nor is a sum's overflow, which halves do not reach.
  const __m256i inexact = _mm256_castps_si256(_mm256_cmp_ps(error, _mm256_setzero_ps(), _CMP_NEQ_OQ));
  const __m256i odd = _mm256_cmpeq_epi32(_mm256_and_si256(b, one), one);
  const __m256i step = _mm256_or_si256(_mm256_srai_epi32(_mm256_xor_si256(e, b), 31), one);
  return _mm256_castsi256_ps(_mm256_add_epi32(b, _mm256_and_si256(step, _mm256_andnot_si256(odd, inexact))));
}

}  // namespace detail

template <>
struct HalfRow<add_f16<false, Clamp16::kNone>> {
  static constexpr bool kKnown = true;
  static __m256 of(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
};
template <>
struct HalfRow<sub_f16<false, Clamp16::kNone>> {
  static constexpr bool kKnown = true;
  static __m256 of(__m256 a, __m256 b) { return _mm256_sub_ps(a, b); }
};
template <>
struct HalfRow<mul_f16<false, Clamp16::kNone>> {
  static constexpr bool kKnown = true;
  static __m256 of(__m256 a, __m256 b) { return _mm256_mul_ps(a, b); }
};
template <>
struct HalfRow<fma_f16<false, Clamp16::kNone>> {
  static constexpr bool kKnown = true;
  static __m256 of(__m256 a, __m256 b, __m256 c) { return detail::add_odd(_mm256_mul_ps(a, b), c); }
};

// `to` may be one of the sources.
template <auto F, class... Sources>
inline void half_row(std::uint16_t* to, std::size_t count, const Sources*... from) {
  for (std::size_t k = 0; k < count; k += 8)
    detail::narrow_halves(to + k, HalfRow<F>::of(detail::wide_halves(from + k)...));
}
#endif

}  // namespace gpuloom::ptx::numeric
