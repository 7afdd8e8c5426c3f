// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

VirtualLiveness virtual_liveness(const Graph& g) {
  const size_t count = g.registers.size(), blocks = g.blocks.size();
  VirtualLiveness live;
  live.in.assign(blocks, RowSet(count));
  live.out.assign(blocks, RowSet(count));
  std::vector<uint32_t> work;
  std::vector<uint8_t> queued(blocks, 1);
  for (uint32_t b = 0; b < blocks; ++b) work.push_back(b);
  while (!work.empty()) {  // last block first
    const uint32_t b = work.back();
    work.pop_back();
    queued[b] = 0;
    for (const uint32_t s : g.flow.successors[b]) live.out[b].merge(live.in[s]);
    RowSet now = live.out[b];
    for (size_t k = g.blocks[b].size(); k-- > 0;) {
      const Node& n = g.blocks[b][k];
      if (!n.guarded || n.fresh) {
        for (const uint32_t v : n.defs) now.remove(v);
      }
      for (const uint32_t v : n.uses) now.add(v);
    }
    if (!live.in[b].merge(now)) continue;
    for (const uint32_t before : g.flow.predecessors[b]) {
      if (queued[before] == 0) work.push_back(before);
      queued[before] = 1;
    }
  }
  return live;
}

}  // namespace gpuloom::ptx
