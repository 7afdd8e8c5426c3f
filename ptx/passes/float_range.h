// SPDX-License-Identifier: Apache-2.0
// Between which values an f32 value lies, as far as ptxas knows: it leaves out a comparison of a divisor that
// could not hold (ptxas 13.0, sm_90: 33 divisors). Known are what ex2, abs, squares and .sat make, tanh, sin,
// cos, constants, and negations, sums and differences of such values; products, fma, max and roots are not.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct FloatRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};

class FloatRanges {
 public:
  // The instruction that alone makes a place, UINT32_MAX: none; the bits of a constant.
  using Maker = std::function<uint32_t(Place)>;
  using Constant = std::function<uint32_t(Place)>;

  FloatRanges(const Program& program, Maker maker, Constant constant)
      : p_(program), maker_(std::move(maker)), constant_(std::move(constant)) {}
  FloatRange of(Place place) const { return of(place, kDeepest); }

 private:
  static constexpr unsigned kDeepest = 8;
  FloatRange of(Place place, unsigned depth) const;
  FloatRange made_by(uint32_t i, unsigned depth) const;

  const Program& p_;
  Maker maker_;
  Constant constant_;
};

}  // namespace gpuloom::ptx
