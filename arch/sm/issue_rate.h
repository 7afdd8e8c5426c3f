// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "arch/sm/config.h"

namespace gpuloom::arch {

// Warp instructions of a class that an SM can start a cycle: on each pipe that takes it one every `interval`
// cycles, and one a sub-core at most. 0 where nothing issues.
double issue_rate(const SmConfig& sm, ptx::OpClass op);

}  // namespace gpuloom::arch
