// SPDX-License-Identifier: Apache-2.0
// Arithmetic of 64-bit integers that 32 bits might do for, all but what makes an address of a base and an
// index. The switch ideal.wide_integers gives it the time of one operation.
#pragma once
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct Flow;

// By decoded instruction.
std::vector<bool> find_wide_integers(const Program& program, const Flow& flow);

}  // namespace gpuloom::ptx
