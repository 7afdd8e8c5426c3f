// SPDX-License-Identifier: Apache-2.0
// Loads of global memory that bring what the thread has loaded before: of the same address as a load before
// it in its block, or of an address that does not change in a loop that stores. A compiler that knew that no
// store meets them would keep the value in a register. The switch ideal.reloads takes their time away.
#pragma once
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// By decoded instruction.
std::vector<bool> find_loads_again(const Program& program);

}  // namespace gpuloom::ptx
