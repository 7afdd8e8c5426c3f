// SPDX-License-Identifier: Apache-2.0
// Which rows and blocks all lanes share, for the selection of operations.
#include "ptx/machine/graph.h"
#include "ptx/passes/post_dominators.h"
#include "ptx/passes/uniformity.h"

namespace gpuloom::ptx {

namespace {

// By block of the program: lanes may be apart there.
std::vector<uint8_t> apart_blocks(const Graph& g, const Uniformity& uniformity,
                                  const std::vector<uint32_t>& meets) {
  std::vector<uint8_t> apart(g.flow.blocks.size(), 0);
  for (uint32_t b = 0; b < g.flow.blocks.size(); ++b) {
    if (uniformity.divergent_branch[b] == 0 || leaves_function(g.program->code[g.flow.blocks[b].last]))
      continue;
    std::vector<uint8_t> seen(g.flow.blocks.size(), 0);
    std::vector<uint32_t> work = g.flow.successors[b];
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at == meets[b] || seen[at] != 0) continue;
      seen[at] = apart[at] = 1;
      work.insert(work.end(), g.flow.successors[at].begin(), g.flow.successors[at].end());
    }
  }
  return apart;
}

}  // namespace

void find_uniform_values(Graph& g) {
  const std::vector<uint32_t> meets = all_post_dominators(g.flow);
  const Uniformity uniformity = find_uniformity(*g.program, g.flow, g.liveness, meets);
  g.divergent_row = uniformity.divergent_row;
  g.apart = apart_blocks(g, uniformity, meets);
  g.exchanged_row = find_uniformity(*g.program, g.flow, g.liveness, meets, Exchanges::kUniform).divergent_row;
}

}  // namespace gpuloom::ptx
