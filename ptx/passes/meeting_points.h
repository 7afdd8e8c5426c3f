// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

// Where lanes meet that a branch at the end of a block parts, inner places first: where those meet that stay
// in a loop around the block, for each loop that others may leave in between, and the block's post-dominator
// last (`post_dominators`, of all blocks). ptxas takes those that leave a loop out of the barriers inside it
// (BREAK: SASS of a search for the longest match with `continue` and `break`).
std::vector<std::vector<uint32_t>> meeting_points(const Flow& flow,
                                                  const std::vector<uint32_t>& post_dominators);

}  // namespace gpuloom::ptx
