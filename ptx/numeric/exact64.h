// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx::numeric::exact {

// f64 arithmetic in the rounding modes that the host does not run in, on 128-bit integers. Not fast (tens of
// nanoseconds); f64 in a directed mode is rare outside interval arithmetic.

__extension__ using u128 = unsigned __int128;

// A non-zero number (-1)^negative * significand * 2^exponent. Bit 0 may stand for "and something below".
struct Number {
  bool negative;
  int exponent;
  u128 significand;
};

inline int highest_bit(u128 x) {
  const auto upper = static_cast<std::uint64_t>(x >> 64);
  return upper != 0 ? 127 - __builtin_clzll(upper) : 63 - __builtin_clzll(static_cast<std::uint64_t>(x));
}

// Finite and non-zero.
inline Number unpack(double x) {
  const std::uint64_t b = bits_of(x);
  const int field = static_cast<int>((b >> 52) & 0x7ff);
  const std::uint64_t fraction = b & 0x000fffffffffffffull;
  return {(b >> 63) != 0, (field == 0 ? 1 : field) - 1075, field == 0 ? fraction : fraction | (1ull << 52)};
}

inline u128 shift_right_sticky(u128 x, int by) {
  if (by <= 0) return x;
  if (by > 127) return x != 0;
  return (x >> by) | ((x & ((u128{1} << by) - 1)) != 0);
}

template <Rounding R>
inline double round(const Number& n) {
  const int top = highest_bit(n.significand);
  const int exponent = n.exponent + top;  // the value is in [2^exponent, 2^(exponent+1))
  const bool subnormal = exponent < -1022;
  // Bring the last kept bit to bit 2, so that two bits below it tell less, equal and more than half.
  const int drop = top - 52 + (subnormal ? -1022 - exponent : 0) - 2;
  const u128 kept = drop >= 0 ? shift_right_sticky(n.significand, drop) : n.significand << -drop;
  const auto wide = static_cast<std::uint64_t>(kept);
  const std::uint64_t odd = (wide >> 2) & 1;
  std::uint64_t code = (wide + rounding_addend<R>(std::uint64_t{n.negative}, odd, std::uint64_t{2})) >> 2;
  // A normal significand carries the hidden bit, which adds the one that the exponent field here lacks.
  if (!subnormal) code += exponent < 1024 ? static_cast<std::uint64_t>(exponent + 1022) << 52 : kInf64;
  if (code >= kInf64) {
    const bool stops = R == Rounding::kZero || R == (n.negative ? Rounding::kUp : Rounding::kDown);
    code = stops ? kInf64 - 1 : kInf64;
  }
  return double_of(code | (n.negative ? kSign64 : 0));
}

template <Rounding R>
inline double sum(Number x, Number y) {
  // Both to bit 126: 53- and 106-bit significands then have at least 20 zero bits below, so an alignment by
  // one or two loses nothing, and where it does lose something no more than one leading bit can cancel.
  const auto normalise = [](Number& n) {
    const int shift = 126 - highest_bit(n.significand);
    n.significand <<= shift;
    n.exponent -= shift;
  };
  normalise(x);
  normalise(y);
  if (x.exponent < y.exponent) {
    const Number t = x;
    x = y;
    y = t;
  }
  y.significand = shift_right_sticky(y.significand, x.exponent - y.exponent);
  Number result = x;
  if (x.negative == y.negative) {
    result.significand += y.significand;
  } else if (x.significand == y.significand) {
    return R == Rounding::kDown ? -0.0 : 0.0;
  } else if (x.significand > y.significand) {
    result.significand -= y.significand;
  } else {
    result.significand = y.significand - x.significand;
    result.negative = y.negative;
  }
  return round<R>(result);
}

inline Number product(double a, double b) {
  const Number x = unpack(a);
  const Number y = unpack(b);
  return {x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand};
}

template <Rounding R>
inline double mul(double a, double b) {
  if (!is_finite(a) || !is_finite(b) || a == 0.0 || b == 0.0) return a * b;
  return round<R>(product(a, b));
}

// Exact zero sums keep a common sign; zeros of different sign give -0 when rounding down, else +0.
template <Rounding R>
inline double zero_sum(double a, double b) {
  return R == Rounding::kDown ? -((-a) + (-b)) : a + b;
}

template <Rounding R>
inline double add(double a, double b) {
  if (!is_finite(a) || !is_finite(b)) return a + b;
  if (a == 0.0 || b == 0.0) return zero_sum<R>(a, b);
  return sum<R>(unpack(a), unpack(b));
}

template <Rounding R>
inline double fma(double a, double b, double c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return std::fma(a, b, c);
  if (a == 0.0 || b == 0.0) return zero_sum<R>(a * b, c);
  if (c == 0.0) return round<R>(product(a, b));
  return sum<R>(product(a, b), unpack(c));
}

template <Rounding R>
inline double div(double a, double b) {
  if (!is_finite(a) || !is_finite(b) || a == 0.0 || b == 0.0) return a / b;
  const Number x = unpack(a);
  const Number y = unpack(b);
  const int shift = 126 - highest_bit(x.significand);
  const u128 dividend = x.significand << shift;
  const u128 quotient = dividend / y.significand;
  const bool rest = quotient * y.significand != dividend;
  return round<R>({x.negative != y.negative, x.exponent - shift - y.exponent, quotient | (rest ? 1 : 0)});
}

template <Rounding R>
inline double sqrt(double a) {
  if (!is_finite(a) || !(a > 0.0)) return std::sqrt(a);
  Number x = unpack(a);
  int shift = 52 - highest_bit(x.significand);
  shift += (x.exponent - shift) & 1;  // an even exponent halves
  const u128 radicand = x.significand << (shift + 52);
  const int exponent = x.exponent - shift;
  // The host's root of a number in [2^52, 2^54) is within half a unit of its last place; compare its square
  // exactly.
  const double host = std::sqrt(static_cast<double>(static_cast<std::uint64_t>(x.significand << shift)));
  const auto root = static_cast<std::uint64_t>(host * 0x1p26);
  const u128 square = u128{root} * root;
  u128 wide = u128{root} << 2;
  if (square < radicand) wide += 1;
  if (square > radicand) wide -= 1;
  return round<R>({false, (exponent - 52) / 2 - 2, wide});
}

}  // namespace gpuloom::ptx::numeric::exact
