// SPDX-License-Identifier: Apache-2.0
// ptxas puts three empty loads of shared memory (@!PT LDS RZ, [RZ]) in front of a cp.async that may overtake
// other accesses to shared memory: the first of a block, and the first behind a shared-memory access or a
// barrier. In a kernel with cp.async a fence gets the same and one more, but behind a copy that one alone,
// and behind another fence none. They execute, and take a pass of shared memory each (ptxas 13.0, sm_90: SASS
// of pipeline_1 to 4, cg_memcpy_async, lat_cp_async, of single instructions between two copies, and of 18
// orders of copies, barriers and fences).
#include <utility>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

bool has_copies(const Graph& g, uint32_t function) {
  for (uint32_t b = g.flow.first_block[function]; b < g.flow.first_block[function + 1]; ++b) {
    for (const Node& n : g.blocks[b]) {
      if (n.op == OpClass::ldgsts) return true;
    }
  }
  return false;
}

void put_in_block(const EmptyLoads& habits, std::vector<Node>& nodes) {
  std::vector<Node> result;
  bool copies_run = false;  // nothing that parts them has come since the last copy
  bool fenced = false;
  for (Node& n : nodes) {
    unsigned loads = 0;
    if (n.op == OpClass::ldgsts) {
      if (!copies_run) loads = habits.before_copy;
      copies_run = true;
      fenced = false;
    } else if (n.op == OpClass::membar) {
      if (!copies_run) loads = habits.before_copy;
      if (!fenced) loads += habits.before_fence;
      copies_run = fenced = true;
    } else if (is(n.op, kPartsCopies)) {
      copies_run = fenced = false;
    }
    for (unsigned k = 0; k < loads; ++k) {
      Node empty;
      empty.op = OpClass::lds;
      empty.decoded = n.decoded;
      empty.guarded = true;
      empty.lane_bytes = 4;
      result.push_back(empty);
    }
    result.push_back(std::move(n));
  }
  nodes = std::move(result);
}

}  // namespace

void put_empty_loads(Graph& g) {
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) {
    if (!has_copies(g, f)) continue;
    for (uint32_t b = g.flow.first_block[f]; b < g.flow.first_block[f + 1]; ++b)
      put_in_block(g.model->profile.empty_loads, g.blocks[b]);
  }
}

}  // namespace gpuloom::ptx
