// SPDX-License-Identifier: Apache-2.0
// What must keep its order among the decoded instructions of a block.
#pragma once
#include <cstdint>
#include <vector>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// For each instruction of the block (counted from its first) the earlier ones that it must follow: rows
// (true, anti and output dependences), carry bits, memory that may overlap, synchronisation, the block's last
// instruction.
std::vector<std::vector<uint32_t>> block_dependences(const Graph& graph, uint32_t block);

}  // namespace gpuloom::ptx
