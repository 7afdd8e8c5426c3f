// SPDX-License-Identifier: Apache-2.0
// A sum of 64 bits is two operations, and the register between them holds the lower half. Where the sum
// replaces one of its operands (a pointer that a loop moves on), the lower half is written in its place and
// only the carry, a predicate, passes.
#include <algorithm>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

bool adds_in_place(const Graph& g, const Node& half, const Node& sum) {
  const bool both = !half.carries && sum.carries && half.decoded == sum.decoded && half.op == sum.op &&
                    half.defs.size() == 1 && sum.defs.size() == 1 && !half.memory;
  return both && g.registers[sum.defs[0]].words == 2 &&
         std::find(sum.uses.begin(), sum.uses.end(), sum.defs[0]) != sum.uses.end() &&
         std::find(sum.uses.begin(), sum.uses.end(), half.defs[0]) != sum.uses.end();
}

void join_halves(Graph& g) {
  for (const std::vector<Node>& nodes : g.blocks) {
    for (size_t k = 1; k < nodes.size(); ++k) {
      if (adds_in_place(g, nodes[k - 1], nodes[k])) g.registers[nodes[k - 1].defs[0]].words = 0;
    }
  }
}

}  // namespace gpuloom::ptx
