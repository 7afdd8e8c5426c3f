// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/narrow.h"
#include "ptx/numeric/rounding.h"

// Operand sources and a rounding oracle for the tests of this folder.
namespace gpuloom::ptx::numeric::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {  // splitmix64
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }

 private:
  std::uint64_t state_;
};

inline constexpr std::array<std::uint32_t, 24> kSpecial32 = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001,
    0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff,
    0x3f7fffff, 0x3f800001, 0x4b800001, 0x4b7fffff, 0x34000000, 0x7e800000, 0x3f000000, 0xbf000000};

inline constexpr std::array<std::uint64_t, 20> kSpecial64 = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x0010000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x3fefffffffffffff, 0x3ff0000000000001, 0x4340000000000001, 0x3ca0000000000000, 0x7fd0000000000000};

// A mixture: special values, anything, numbers of similar size (so that sums cancel), short significands
// (ties), subnormals.
inline float random_float(Random& random) {
  const std::uint64_t r = random.next();
  const auto bits = static_cast<std::uint32_t>(r);
  switch ((r >> 40) % 8) {
    case 0:
      return float_of(kSpecial32[(r >> 50) % kSpecial32.size()]);
    case 1:
    case 2:
      return float_of(bits);
    case 3:
    case 4:
      return float_of((bits & 0x80ffffffu) | 0x3f000000u);
    case 5:
      return float_of(bits & 0xfffff000u);
    case 6:
      return float_of(bits & 0x80ffffffu);
    default:
      return float_of((bits & 0x80000000u) | (0x3f800000u + (bits & 7u)));
  }
}

inline double random_double(Random& random) {
  const std::uint64_t r = random.next();
  const std::uint64_t bits = random.next();
  switch (r % 8) {
    case 0:
      return double_of(kSpecial64[(r >> 8) % kSpecial64.size()]);
    case 1:
    case 2:
      return double_of(bits);
    case 3:
    case 4:
      return double_of((bits & 0x801fffffffffffffull) | 0x3fe0000000000000ull);
    case 5:
      return double_of(bits & 0xffffffff00000000ull);
    case 6:
      return double_of(bits & 0x801fffffffffffffull);
    default:
      return double_of((bits & kSign64) | (0x3ff0000000000000ull + (bits & 7u)));
  }
}

// Rounds |x| to a code by searching the list of all values of the format; nothing in common with narrow().
template <typename Values>  // ascending magnitudes of the finite codes
std::uint32_t search_code(const Values& values, double x, Rounding mode) {
  const double m = std::fabs(x);
  const bool negative = std::signbit(x);
  const auto last = static_cast<std::uint32_t>(values.size() - 1);
  std::uint32_t low = 0;
  for (std::uint32_t step = 1u << 16; step != 0; step >>= 1) {
    if (low + step <= last && values[low + step] <= m) low += step;
  }
  if (values[low] == m) return low;
  // Past the largest code the grid goes on; its next value decides what overflows.
  const double above = low < last ? values[low + 1] : 2 * values[last] - values[last - 1];
  const double lower_gap = m - values[low];
  const double upper_gap = above - m;
  bool up = false;
  if (mode == Rounding::kNearestEven)
    up = upper_gap < lower_gap || (upper_gap == lower_gap && (low & 1) != 0);
  if (mode == Rounding::kNearestAway) up = upper_gap <= lower_gap;
  if (mode == Rounding::kDown) up = negative;
  if (mode == Rounding::kUp) up = !negative;
  return up ? low + 1 : low;
}

}  // namespace gpuloom::ptx::numeric::testing
