// SPDX-License-Identifier: Apache-2.0
// What must keep its order among the operations of a block, and for how long.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

struct BlockEdges {
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>>
      after;                      // by node: later node, cycles between issues
  std::vector<uint32_t> waiting;  // by node: edges into it
};

BlockEdges block_edges(const Graph& graph, uint32_t block);

}  // namespace gpuloom::ptx
