// SPDX-License-Identifier: Apache-2.0
// What every try at an allocation would find anew.
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

AllocationFacts allocation_facts(const Graph& g) {
  AllocationFacts facts;
  facts.live = virtual_liveness(g);
  facts.partners.resize(g.registers.size());
  const auto single = [&](uint32_t v) { return g.registers[v].words == 1 && !g.registers[v].uniform; };
  for (const std::vector<Node>& nodes : g.blocks) {
    for (const Node& n : nodes) {
      if (n.memory) continue;
      for (const uint32_t a : n.uses) {
        for (const uint32_t b : n.uses) {
          if (a != b && single(a) && single(b)) facts.partners[a].push_back(b);
        }
      }
    }
  }
  return facts;
}

}  // namespace gpuloom::ptx
