// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "ptx/numeric/mufu.h"

namespace gpuloom::ptx::numeric::mufu {

// The functions of mufu.h for the 32 operands of a warp. A look-up by the lane does not vectorise: GCC 12
// makes no gathers for processors in general. Here a table's three coefficients lie side by side, so that a
// lane is one load, and the sums are made in f64, which holds them exactly (they stay below 2^48).

inline constexpr int kRow = 32;

template <int N>
struct RowTable {
  alignas(32) double coefficients[N][4];
};
template <class Function, int N>
constexpr RowTable<N> row_table(const Table<N>& t) {
  RowTable<N> out{};
  for (int k = 0; k < N; ++k) {
    out.coefficients[k][0] = static_cast<double>(t.c0[k]) * 32768 + Function::kBias;
    out.coefficients[k][1] = t.c1[k];
    out.coefficients[k][2] = t.c2[k] * 4;
  }
  return out;
}
template <class Function>
inline constexpr auto kRowTable = row_table<Function>(Function::kTable);

namespace detail {

using Doubles = double __attribute__((vector_size(32)));
using SignedLongs = std::int64_t __attribute__((vector_size(32)));
using Longs = std::uint64_t __attribute__((vector_size(32)));
using FourInts = std::int32_t __attribute__((vector_size(16)));
using FourFloats = float __attribute__((vector_size(16)));
using Unsigned = std::uint32_t __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
using Shorts = std::uint16_t __attribute__((vector_size(32)));
using FourUnsigned = std::uint32_t __attribute__((vector_size(16)));

template <class Vector>
inline Vector load(const void* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Vector>
inline void store(void* to, Vector v) {
  std::memcpy(to, &v, sizeof v);
}

// evaluate() of four lanes.
template <int N>
inline Doubles four_sums(const RowTable<N>& t, const std::uint32_t* segment, const std::int32_t* position,
                         const std::int32_t* square) {
  const auto at = [&](int k) { return load<Doubles>(t.coefficients[segment[k]]); };
  const Doubles a = at(0), b = at(1), c = at(2), d = at(3);
  const Doubles even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Doubles even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Doubles constant = __builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5);
  const Doubles quadratic = __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7);
  const Doubles odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Doubles odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const Doubles linear = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5);
  const auto x = __builtin_convertvector(load<FourInts>(position), Doubles);
  const auto x2 = __builtin_convertvector(load<FourInts>(square), Doubles);
  return constant + linear * x + quadratic * x2;
}

// number_of() of four lanes.
template <Sum kSum>
inline FourUnsigned four_numbers(Doubles sum, const std::uint32_t* bits) {
  if constexpr (kSum == Sum::kSignificand) {  // not negative
    return (FourUnsigned) __builtin_convertvector(sum * 0x1p-18, FourInts);
  } else {
    // A whole number below 2^51 stands in the lower bits of its sum with 1.5 * 2^52. 2^47 makes it positive,
    // so that it may be shifted as if it had no sign.
    constexpr std::uint64_t kPositive = std::uint64_t{1} << 47;
    Longs number = ((((Longs)(sum + 0x1.8p52)) - bits_of(0x1.8p52) + kPositive) >> 5) - (kPositive >> 5);
    Longs negative{};
    if constexpr (kSum == Sum::kAfterWhole) {
      const FourUnsigned e = exponent_of(load<FourUnsigned>(bits)) - 127u;
      const auto whole = (Longs) __builtin_convertvector((FourInts)e, SignedLongs);
      number += whole << 36;
      negative = (Longs)((SignedLongs)number < 0);
      number ^= negative;
    }
    constexpr int kFractionBits = kSum == Sum::kReal ? 37 : 36;
    const Doubles exact = (Doubles)(number | 0x4330000000000000ull) - 0x1p52;
    const Doubles cut =
        (Doubles)((Longs)exact & ~0x1fffffffull) * (1.0 / (std::uint64_t{1} << kFractionBits));
    const auto magnitude = (FourUnsigned) __builtin_convertvector(cut, FourFloats);
    return magnitude | (__builtin_convertvector(negative, FourUnsigned) & kSign32);
  }
}

}  // namespace detail

template <>
struct SignedOf<detail::Unsigned> {
  using type = detail::Ints;
};

// `from` may be `to`.
template <class Function>
inline void row(const float* from, float* to) {
  using detail::Unsigned;
  alignas(32) std::uint32_t segment[kRow], bits[kRow], numbers[kRow];
  alignas(32) std::int32_t position[kRow], square[kRow];
  alignas(32) std::uint16_t upper[kRow], lower[kRow];
  std::memcpy(bits, from, sizeof bits);
  for (int l = 0; l < kRow; l += 8) {
    const auto p = Function::at(detail::load<Unsigned>(&bits[l]));
    detail::store(&segment[l], p.segment);
    detail::store(&position[l], p.position);
  }
  for (int l = 0; l < kRow; ++l) {
    upper[l] = static_cast<std::uint16_t>(position[l] >> 9);
    lower[l] = static_cast<std::uint16_t>(position[l] & 0x1ff);
  }
  for (int l = 0; l < kRow; l += 16)
    detail::store(&upper[l], truncated_square(detail::load<detail::Shorts>(&upper[l]),
                                              detail::load<detail::Shorts>(&lower[l])));
  for (int l = 0; l < kRow; ++l) square[l] = upper[l];
  for (int l = 0; l < kRow; l += 4) {
    const auto sums = detail::four_sums(kRowTable<Function>, &segment[l], &position[l], &square[l]);
    detail::store(&numbers[l], detail::four_numbers<Function::kSum>(sums, &bits[l]));
  }
  for (int l = 0; l < kRow; l += 8)
    detail::store(&bits[l],
                  Function::result(detail::load<Unsigned>(&bits[l]), detail::load<Unsigned>(&numbers[l])));
  std::memcpy(to, bits, sizeof bits);
}

}  // namespace gpuloom::ptx::numeric::mufu
