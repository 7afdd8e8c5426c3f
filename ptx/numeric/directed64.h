// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx::numeric {

// f64 arithmetic in the rounding modes that the host does not run in, without branches, where that is exact:
// the host's nearest result, and the sign of its error, which is an f64 itself or that of one (Knuth's
// two-sum; the remainder of a product, quotient or root by fma). `doubtful` says where it is not: results
// that are zero, infinite or NaN, and such as may lose the error to the ends of the range. `exact` then gives
// them.

namespace detail {

template <Rounding R>
constexpr double stepped(double nearest, double error) {
  const std::uint64_t b = bits_of(nearest);
  const bool negative = (b >> 63) != 0;
  const std::uint64_t away = negative == (R == Rounding::kDown) ? 1 : ~std::uint64_t{0};
  if constexpr (R == Rounding::kZero) {
    const bool past = negative ? error > 0 : error < 0;
    return double_of(b - (past ? 1 : 0));
  } else {
    const bool past = R == Rounding::kDown ? error < 0 : error > 0;
    return double_of(b + (past ? away : 0));
  }
}

// Whether a magnitude is not in [2^-900, 2^900], NaN included.
constexpr bool extreme_magnitude(double x) {
  constexpr std::uint64_t kLeast = bits_of(0x1p-900), kMost = bits_of(0x1p900);
  return (bits_of(x) & ~kSign64) - kLeast > kMost - kLeast;
}

}  // namespace detail

template <Rounding R>
struct DirectedAdd {
  static double fast(double a, double b) {
    const double sum = a + b, b_part = sum - a;
    return detail::stepped<R>(sum, (a - (sum - b_part)) + (b - b_part));
  }
  static bool doubtful(double a, double b) {
    constexpr std::uint64_t kMost = bits_of(0x1p1000);  // beyond it the parts may overflow
    return a + b == 0 || (bits_of(a) & ~kSign64) > kMost || (bits_of(b) & ~kSign64) > kMost;
  }
  static double exact(double a, double b) { return add<R>(a, b); }
};

template <Rounding R>
struct DirectedSub {
  static double fast(double a, double b) { return DirectedAdd<R>::fast(a, -b); }
  static bool doubtful(double a, double b) { return DirectedAdd<R>::doubtful(a, -b); }
  static double exact(double a, double b) { return sub<R>(a, b); }
};

template <Rounding R>
struct DirectedMul {
  static double fast(double a, double b) {
    const double product = a * b;
    return detail::stepped<R>(product, std::fma(a, b, -product));
  }
  static bool doubtful(double a, double b) { return detail::extreme_magnitude(a * b); }
  static double exact(double a, double b) { return mul<R>(a, b); }
};

template <Rounding R>
struct DirectedDiv {
  static double fast(double a, double b) {
    const double quotient = a / b, rest = std::fma(-quotient, b, a);
    return detail::stepped<R>(quotient, b < 0 ? -rest : rest);
  }
  static bool doubtful(double a, double b) {
    return detail::extreme_magnitude(a / b) || detail::extreme_magnitude(a);
  }
  static double exact(double a, double b) { return div<R>(a, b); }
};

template <Rounding R>
struct DirectedRcp {
  static double fast(double a) { return DirectedDiv<R>::fast(1.0, a); }
  static bool doubtful(double a) { return detail::extreme_magnitude(1.0 / a); }
  static double exact(double a) { return rcp<R>(a); }
};

template <Rounding R>
struct DirectedSqrt {
  static double fast(double a) {
    const double root = std::sqrt(a);
    return detail::stepped<R>(root, std::fma(-root, root, a));
  }
  static bool doubtful(double a) { return detail::extreme_magnitude(a) || !(a > 0); }
  static double exact(double a) { return sqrt<R>(a); }
};

}  // namespace gpuloom::ptx::numeric
