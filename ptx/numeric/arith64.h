// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/exact64.h"
#include "ptx/numeric/minmax.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx::numeric {

// f64 arithmetic, exact to the bit in every rounding mode: add, sub, mul, fma, div, rcp, sqrt <R>.
// NaN results are those of the H200: an operand's NaN, quieted, with its payload; kNaN64 where the operation
// is invalid. Of several NaN operands the second goes before the first (fma: second, third, first); division
// takes the first.

namespace detail {

// The compiler may swap the operands of a commutative host operation and with them the NaN: choose it by
// hand.
constexpr double nan_or(double result, double first_choice, double second_choice) {
  std::uint64_t nan = is_nan(second_choice) ? bits_of(second_choice) | kQuiet64 : kNaN64;
  nan = is_nan(first_choice) ? bits_of(first_choice) | kQuiet64 : nan;
  return double_of(result != result ? nan : bits_of(result));
}
constexpr double nan_or(double result, double first_choice, double second_choice, double third_choice) {
  std::uint64_t nan = is_nan(third_choice) ? bits_of(third_choice) | kQuiet64 : kNaN64;
  nan = is_nan(second_choice) ? bits_of(second_choice) | kQuiet64 : nan;
  nan = is_nan(first_choice) ? bits_of(first_choice) | kQuiet64 : nan;
  return double_of(result != result ? nan : bits_of(result));
}

}  // namespace detail

template <Rounding R = Rounding::kNearestEven>
inline double add(double a, double b) {
  if constexpr (R == Rounding::kNearestEven) {
    return detail::nan_or(a + b, b, a);
  } else {
    return detail::nan_or(exact::add<R>(a, b), b, a);
  }
}

template <Rounding R = Rounding::kNearestEven>
inline double sub(double a, double b) {
  if constexpr (R == Rounding::kNearestEven) {
    return detail::nan_or(a - b, b, a);
  } else {
    return detail::nan_or(exact::add<R>(a, -b), b, a);
  }
}

template <Rounding R = Rounding::kNearestEven>
inline double mul(double a, double b) {
  if constexpr (R == Rounding::kNearestEven) {
    return detail::nan_or(a * b, b, a);
  } else {
    return detail::nan_or(exact::mul<R>(a, b), b, a);
  }
}

template <Rounding R = Rounding::kNearestEven>
inline double fma(double a, double b, double c) {
  if constexpr (R == Rounding::kNearestEven) {
    return detail::nan_or(std::fma(a, b, c), b, c, a);
  } else {
    return detail::nan_or(exact::fma<R>(a, b, c), b, c, a);
  }
}

template <Rounding R = Rounding::kNearestEven>
inline double div(double a, double b) {
  if constexpr (R == Rounding::kNearestEven) {
    return detail::nan_or(a / b, a, b);
  } else {
    return detail::nan_or(exact::div<R>(a, b), a, b);
  }
}

template <Rounding R = Rounding::kNearestEven>
inline double rcp(double a) {
  return div<R>(1.0, a);
}

template <Rounding R = Rounding::kNearestEven>
inline double sqrt(double a) {
  if constexpr (R == Rounding::kNearestEven) {
    return detail::nan_or(std::sqrt(a), a, a);
  } else {
    return detail::nan_or(exact::sqrt<R>(a), a, a);
  }
}

// A NaN passes abs unchanged, and neg with its sign but quieted.
constexpr double abs(double a) { return double_of(is_nan(a) ? bits_of(a) : bits_of(a) & ~kSign64); }
constexpr double neg(double a) { return double_of(is_nan(a) ? bits_of(a) | kQuiet64 : bits_of(a) ^ kSign64); }

constexpr double min(double a, double b) { return extreme<Extreme::kMin>(a, b); }
constexpr double max(double a, double b) { return extreme<Extreme::kMax>(a, b); }

// copysign d, a, b: the magnitude of b with the sign of a. Bits only.
constexpr double copysign(double a, double b) {
  return double_of((bits_of(a) & kSign64) | (bits_of(b) & ~kSign64));
}

}  // namespace gpuloom::ptx::numeric
