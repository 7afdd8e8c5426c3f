// SPDX-License-Identifier: Apache-2.0
// Approximate division as ptxas 13.0 makes it (SASS for sm_90): the dividend times MUFU.RCP of the divisor,
// both scaled before where the form asks for it. That last product is one like any other.
#pragma once
#include <optional>

#include "ptx/ir/program.h"
#include "ptx/passes/draft.h"
#include "ptx/passes/edit.h"
#include "ptx/passes/float_range.h"

namespace gpuloom::ptx {

struct ApproxDivision {
  Place dividend;  // absent: a reciprocal, whose scale is the other factor
  Place divisor;
  bool ftz = false;
  bool scale_up = false;    // subnormal divisors by 2^24
  bool scale_down = false;  // those beyond 2^126 by 2^-2
  bool scaled() const { return scale_up || scale_down; }
  // Leaves out what a divisor of that range never needs.
  void divide_by(const FloatRange& range);
};
// div.approx, div.full, and rcp.approx without .ftz, all of f32.
std::optional<ApproxDivision> approx_division(const Program& program, const Instr& in);

// Inserts, before instruction `at` of function f, what makes the two factors of the last product.
struct Factors {
  Place a, b;
};
Factors split_division(Draft& draft, uint32_t f, const ApproxDivision& division, uint32_t at, Edit& edit);

}  // namespace gpuloom::ptx
