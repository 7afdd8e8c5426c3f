// SPDX-License-Identifier: Apache-2.0
// ptxas puts three empty loads of shared memory (@!PT LDS RZ, [RZ]) in front of a cp.async that may overtake
// other accesses to shared memory: the first of a block, or of a kernel, and the first behind a shared-memory
// access or a barrier. In a kernel with cp.async a fence gets the same and one more, but behind a copy
// that one alone, and behind another fence none. They execute, and take a pass of shared memory each
// (ptxas 13.0, sm_90: SASS of pipeline_1 to 4, cg_memcpy_async, lat_cp_async, of single instructions between
// two copies, and of 18 orders of copies, barriers and fences). For sm_70 a kernel begins with a shuffle of
// nobody (@!PT SHFL.IDX PT, RZ, RZ, RZ, RZ), and so does a loop that may turn without an access to memory
// other than to constants (of loops of one block all 33 such, and none of about 200 others). The threads of a
// warp meet at a NOP in front of a barrier (ptxas 12.4, SASS of the tuned kernels of
// bench/silicon/lowering/targets).
#include <algorithm>
#include <utility>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/graph.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

bool has_copies(const Graph& g, uint32_t function) {
  for (uint32_t b = g.flow.first_block[function]; b < g.flow.first_block[function + 1]; ++b) {
    for (const Node& n : g.blocks[b]) {
      if (is_thread_copy(n.op)) return true;
    }
  }
  return false;
}

Node empty(OpClass op, uint32_t decoded) {
  Node n;
  n.op = op;
  n.decoded = decoded;
  n.guarded = op != OpClass::nop;
  n.lane_bytes = op == OpClass::lds ? 4 : 0;
  return n;
}

void put_in_front(std::vector<Node>& nodes, OpClass of, const Node& what) {
  for (size_t k = nodes.size(); k-- > 0;) {
    if (nodes[k].op != of) continue;
    nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(k), what);
    nodes[k].decoded = nodes[k + 1].decoded;
  }
}

// What has come since the last access to shared memory or barrier, whatever way led here.
struct Since {
  bool copy = false, fence = false;  // a fence stands for a copy too
  bool operator==(const Since&) const = default;
};

// How many loads come in front of `n`; `since` goes on behind it.
unsigned loads_before(const EmptyLoads& habits, const Node& n, Since& since) {
  unsigned loads = 0;
  if (is_thread_copy(n.op)) {
    if (!since.copy) loads = habits.before_copy;
    since = {true, false};
  } else if (is_memory_fence(n.op)) {
    if (!since.copy) loads = habits.before_copy;
    if (!since.fence) loads += habits.before_fence;
    since = {true, true};
  } else if (is(n.op, kPartsCopies)) {
    since = {};
  }
  return loads;
}

// By block, what has come on all ways to its begin. For 8.x, of three copies with a branch around each, the
// first alone has the loads in front of it, for 9.0 each (SASS of a loop of copies that is taken apart).
std::vector<Since> since_at_begin(const Graph& g, const EmptyLoads& habits) {
  std::vector<Since> begin(g.blocks.size(), Since{true, true}), end = begin;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = 0; b < g.blocks.size(); ++b) {
      const bool goes_on = !habits.each_block && !g.flow.predecessors[b].empty();
      Since since{goes_on, goes_on};
      for (const uint32_t p : g.flow.predecessors[b])
        since = {since.copy && end[p].copy, since.fence && end[p].fence};
      begin[b] = since;
      for (const Node& n : g.blocks[b]) loads_before(habits, n, since);
      again = again || !(since == end[b]);
      end[b] = since;
    }
  }
  return begin;
}

void put_in_block(const EmptyLoads& habits, std::vector<Node>& nodes, Since since) {
  std::vector<Node> result;
  for (Node& n : nodes) {
    const unsigned loads = loads_before(habits, n, since);
    for (unsigned k = 0; k < loads; ++k) result.push_back(empty(OpClass::lds, n.decoded));
    result.push_back(std::move(n));
  }
  nodes = std::move(result);
}

bool accesses_memory(const std::vector<Node>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& n) {
    return is_shuffle(n.op) || ((n.memory || n.frame) && !is_constant_load(n.op));
  });
}

// Whether a turn of the loop that begins with block `header` may pass no access to memory.
bool turns_without_memory(const Graph& g, uint32_t header) {
  std::vector<uint8_t> seen(g.blocks.size(), 0);
  std::vector<uint32_t> work = {header};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (seen[b] != 0 || accesses_memory(g.blocks[b])) continue;
    seen[b] = 1;
    for (const uint32_t s : g.flow.successors[b]) {
      if (s == header) return true;
      if (s > header) work.push_back(s);
    }
  }
  return false;
}

// Inner loops come first: what stands at their begin counts in the loops around them.
void put_in_loops(Graph& g, const Node& what) {
  for (uint32_t b = static_cast<uint32_t>(g.blocks.size()); b-- > 0;) {
    std::vector<Node>& nodes = g.blocks[b];
    const std::vector<uint32_t>& from = g.flow.predecessors[b];
    const bool loops = std::any_of(from.begin(), from.end(), [&](uint32_t p) { return p >= b; });
    if (nodes.empty() || !loops || !turns_without_memory(g, b)) continue;
    const ptrdiff_t behind = nodes.front().begins ? 1 : 0;
    const uint32_t decoded = nodes.front().decoded;
    nodes.insert(nodes.begin() + behind, what);
    nodes[static_cast<size_t>(behind)].decoded = decoded;
  }
}

}  // namespace

void put_empty_loads(Graph& g) {
  const EmptyLoads& habits = g.model->profile.empty_loads;
  for (std::vector<Node>& nodes : g.blocks) {
    for (unsigned k = 0; k < habits.nops; ++k) put_in_front(nodes, OpClass::bar, empty(OpClass::nop, 0));
  }
  std::vector<Node>& first = g.blocks[g.flow.first_block[0]];
  for (unsigned k = 0; k < habits.shuffles; ++k) {
    const ptrdiff_t behind = !first.empty() && first.front().begins ? 1 : 0;
    first.insert(first.begin() + behind, empty(OpClass::shfl, g.program->functions[0].entry));
    put_in_loops(g, empty(OpClass::shfl, 0));
  }
  std::vector<Since> since;  // once a function has copies
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) {
    if (!has_copies(g, f)) continue;
    if (since.empty()) since = since_at_begin(g, habits);
    for (uint32_t b = g.flow.first_block[f]; b < g.flow.first_block[f + 1]; ++b)
      put_in_block(habits, g.blocks[b], since[b]);
  }
}

}  // namespace gpuloom::ptx
