// SPDX-License-Identifier: Apache-2.0
// Approximations of constants. ptxas computes them itself, with the function's value rounded to nearest, and
// not as the special-function unit would (ptx/isa/table/constant_operand.h says what it knows). Quotients by
// constants: ptx/passes/divide.h. Compared with ptxas 13.0 (SASS) and an H200 (tests/fuzz/kernels/device).
#pragma once
#include <cmath>

#include "ptx/numeric/bits.h"

namespace gpuloom::ptx::numeric {

inline double reciprocal_of(double a) { return 1.0 / a; }
inline double reciprocal_root_of(double a) { return 1.0 / std::sqrt(a); }
inline double root_of(double a) { return std::sqrt(a); }
inline double power_of_two_of(double a) { return std::exp2(a); }
inline double binary_logarithm_of(double a) { return std::log2(a); }
inline double sine_of(double a) { return std::sin(a); }
inline double cosine_of(double a) { return std::cos(a); }

// Infinities, NaNs and arguments that the function has no value for are left to the unit: `approximate`.
template <bool Ftz, double (*Exact)(double), float (*Approximate)(float)>
inline float folded(float a) {
  const float x = flush_if<Ftz>(a);
  const float value = static_cast<float>(Exact(static_cast<double>(x)));
  return std::isfinite(x) && !std::isnan(value) ? flush_if<Ftz>(value) : Approximate(a);
}

}  // namespace gpuloom::ptx::numeric
