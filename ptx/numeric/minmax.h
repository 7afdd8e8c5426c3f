// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ptx/numeric/bits.h"

namespace gpuloom::ptx::numeric {

// min and max of any float format on its bits: -0 < +0, a NaN operand is missing data unless `.NaN` is given,
// two NaNs give the canonical NaN (f64: the second, quieted), `.xorsign.abs` orders by magnitude and sets the
// sign to the exclusive or.
enum class Extreme : std::uint8_t { kMin, kMax };

template <typename U, U Inf, U Nan, Extreme E, bool PropagateNaN, bool XorSign>
constexpr U extreme_bits(U a, U b) {
  using S = std::make_signed_t<U>;
  constexpr int kTop = sizeof(U) * 8 - 1;
  constexpr U kSignBit = static_cast<U>(U{1} << kTop);
  constexpr U kMagnitude = static_cast<U>(~kSignBit);
  const U sign = static_cast<U>((a ^ b) & kSignBit);
  const U x = XorSign ? static_cast<U>(a & kMagnitude) : a;
  const U y = XorSign ? static_cast<U>(b & kMagnitude) : b;
  // Sign and magnitude to two's complement: integers in the order of the floats, with -0 just below +0.
  const S kx = static_cast<S>(x ^ (static_cast<U>(static_cast<S>(x) >> kTop) & kMagnitude));
  const S ky = static_cast<S>(y ^ (static_cast<U>(static_cast<S>(y) >> kTop) & kMagnitude));
  U result = (E == Extreme::kMin ? kx < ky : kx > ky) ? x : y;
  const bool x_nan = (a & kMagnitude) > Inf;
  const bool y_nan = (b & kMagnitude) > Inf;
  result = x_nan ? y : result;
  result = y_nan ? x : result;
  if constexpr (XorSign) result = static_cast<U>((result & kMagnitude) | sign);
  U nan = Nan;
  if constexpr (sizeof(U) == 8) nan = static_cast<U>((y_nan ? b : a) | kQuiet64);
  const bool gives_nan = PropagateNaN ? (x_nan || y_nan) : (x_nan && y_nan);
  return gives_nan ? nan : result;
}

template <Extreme E, bool Ftz = false, bool PropagateNaN = false, bool XorSign = false>
constexpr float extreme(float a, float b) {
  const std::uint32_t x = bits_of(flush_if<Ftz>(a));
  const std::uint32_t y = bits_of(flush_if<Ftz>(b));
  return float_of(extreme_bits<std::uint32_t, kInf32, kNaN32, E, PropagateNaN, XorSign>(x, y));
}

template <Extreme E>
constexpr double extreme(double a, double b) {
  return double_of(extreme_bits<std::uint64_t, kInf64, kNaN64, E, false, false>(bits_of(a), bits_of(b)));
}

}  // namespace gpuloom::ptx::numeric
