// SPDX-License-Identifier: Apache-2.0
// Where the paths out of a branch meet again.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

// For each block the immediate post-dominator, UINT32_MAX where there is none. Early exits do not count as
// paths: lanes that leave never come to a meeting point, and those that stay need one. So the last block that
// leaves the function is its end, the blocks that cannot reach it are looked at alone in the same manner, and
// so on.
std::vector<uint32_t> post_dominators(const Flow& flow, uint32_t first_block, uint32_t end_block);

// Those of all functions, by block.
std::vector<uint32_t> all_post_dominators(const Flow& flow);

}  // namespace gpuloom::ptx
