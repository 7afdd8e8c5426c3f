// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

VirtualLiveness virtual_liveness(const Graph& g) {
  const size_t count = g.registers.size(), blocks = g.blocks.size();
  VirtualLiveness live;
  live.in.assign(blocks, RowSet(count));
  live.out.assign(blocks, RowSet(count));
  bool again = true;
  while (again) {
    again = false;
    for (size_t b = blocks; b-- > 0;) {
      for (const uint32_t s : g.flow.successors[b]) live.out[b].merge(live.in[s]);
      RowSet now = live.out[b];
      for (size_t k = g.blocks[b].size(); k-- > 0;) {
        const Node& n = g.blocks[b][k];
        if (!n.guarded || n.fresh) {
          for (const uint32_t v : n.defs) now.remove(v);
        }
        for (const uint32_t v : n.uses) now.add(v);
      }
      again |= live.in[b].merge(now);
    }
  }
  return live;
}

}  // namespace gpuloom::ptx
