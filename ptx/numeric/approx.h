// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx::numeric {

// The approximate functions of the special function unit, within the errors that the PTX manual states.

template <bool Ftz = false>
inline float rcp_approx(float a) {
  return rcp<Rounding::kNearestEven, Ftz>(a);
}
template <bool Ftz = false>
inline float sqrt_approx(float a) {
  return sqrt<Rounding::kNearestEven, Ftz>(a);
}
template <bool Ftz = false>
inline float rsqrt_approx(float a) {
  return finish<Ftz>(static_cast<float>(1.0 / std::sqrt(static_cast<double>(flush_if<Ftz>(a)))));
}
template <bool Ftz = false>
inline float ex2_approx(float a) {
  return finish<Ftz>(static_cast<float>(std::exp2(static_cast<double>(flush_if<Ftz>(a)))));
}
template <bool Ftz = false>
inline float lg2_approx(float a) {
  return finish<Ftz>(static_cast<float>(std::log2(static_cast<double>(flush_if<Ftz>(a)))));
}
template <bool Ftz = false>
inline float sin_approx(float a) {
  return finish<Ftz>(static_cast<float>(std::sin(static_cast<double>(flush_if<Ftz>(a)))));
}
template <bool Ftz = false>
inline float cos_approx(float a) {
  return finish<Ftz>(static_cast<float>(std::cos(static_cast<double>(flush_if<Ftz>(a)))));
}
inline float tanh_approx(float a) { return finish(static_cast<float>(std::tanh(static_cast<double>(a)))); }

// div.approx: 0 for 2^126 < |b| < 2^128 (NaN for an infinite a), as the manual says.
template <bool Ftz = false>
inline float div_approx(float a, float b) {
  return div<Rounding::kNearestEven, Ftz>(a, b);
}
template <bool Ftz = false>
inline float div_full(float a, float b) {
  return div<Rounding::kNearestEven, Ftz>(a, b);
}

inline std::uint16_t ex2_approx_f16(std::uint16_t a) { return float_to_half(ex2_approx(half_to_float(a))); }
inline std::uint16_t tanh_approx_f16(std::uint16_t a) { return float_to_half(tanh_approx(half_to_float(a))); }
inline std::uint16_t ex2_approx_ftz_bf16(std::uint16_t a) {
  return float_to_bf16(ex2_approx<true>(bf16_to_float(a)));
}
inline std::uint16_t tanh_approx_bf16(std::uint16_t a) {
  return float_to_bf16(tanh_approx(bf16_to_float(a)));
}

// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: relative error 2^-20, the lower word zero. rsqrt.approx.f64:
// nearly exact.
inline double rcp_approx_ftz(double a) { return rcp(a); }
inline double rsqrt_approx_ftz(double a) { return div(1.0, sqrt(a)); }
inline double rsqrt_approx(double a) { return div(1.0, sqrt(a)); }

}  // namespace gpuloom::ptx::numeric
