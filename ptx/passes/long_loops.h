// SPDX-License-Identifier: Apache-2.0
// Blocks that a loop with branches of its own is in front of or around. ptxas does not keep what special
// registers hold so far: it reads them again there (bench/silicon/lowering/special_reads.py).
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

// By block of the function, from its first: whether it is in such a loop, or can be reached from one.
std::vector<bool> behind_long_loops(const Program& program, const Flow& flow, uint32_t function);

}  // namespace gpuloom::ptx
