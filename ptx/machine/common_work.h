// SPDX-License-Identifier: Apache-2.0
// Loads and arithmetic of a loop that are the same in all threads of a block, and serve nothing there that is
// not: a sum that every thread finds for itself. The switch ideal.common_work takes their time away.
#pragma once
#include <vector>

#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct Flow;

// By decoded instruction.
std::vector<bool> find_common_work(const Program& program, const Flow& flow);

}  // namespace gpuloom::ptx
