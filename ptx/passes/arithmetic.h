// SPDX-License-Identifier: Apache-2.0
// What contraction sees of an instruction.
#pragma once
#include "ptx/passes/draft.h"

namespace gpuloom::ptx {

enum class Op : uint8_t { kOther, kMul, kAdd, kSub, kNeg, kMove };

// kOther: nothing that a product can go through. Explicit rounding makes an add or mul that, too.
struct Arithmetic {
  Op op = Op::kOther;
  Type type = Type::kNone;
  bool ftz = false, sat = false;
};

Arithmetic arithmetic_of(const Draft& d, const Instr& in);

// Blocks as ptxas sees them when it contracts. What it expands into code with branches of its own ends one:
// division and its kin, fences, and guarded instructions other than arithmetic.
bool ends_segment(const Instr& in);

}  // namespace gpuloom::ptx
