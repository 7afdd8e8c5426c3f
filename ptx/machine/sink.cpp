// SPDX-License-Identifier: Apache-2.0
// Parameters are loaded where they are first needed: ptxas reads the constant bank in the block that
// dominates all uses, outside of their loops (SASS of the reference suite: vecadd loads its pointers behind
// the bounds test, reductions load theirs behind the last barrier), so a parameter takes no register before.
#include <algorithm>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

namespace {

class Sinker {
 public:
  Sinker(Graph& g, uint32_t f) : g_(g), first_(g.flow.first_block[f]), end_(g.flow.first_block[f + 1]) {}

  void run() {
    find_dominators();
    find_loops();
    find_uses();
    for (uint32_t b = first_; b < end_; ++b) {
      for (size_t k = 0; k < g_.blocks[b].size();) {
        if (!sink(b, k)) ++k;
      }
    }
  }

 private:
  // Blocks are in code order; a dominator comes before what it dominates (Cooper, Harvey, Kennedy 2001).
  void find_dominators() {
    idom_.assign(end_ - first_, UINT32_MAX);
    idom_[0] = first_;
    for (bool again = true; again;) {
      again = false;
      for (uint32_t b = first_ + 1; b < end_; ++b) {
        uint32_t dom = UINT32_MAX;
        for (const uint32_t p : g_.flow.predecessors[b]) {
          if (p < first_ || p >= end_ || idom_[p - first_] == UINT32_MAX) continue;
          dom = dom == UINT32_MAX ? p : common(dom, p);
        }
        if (dom == idom_[b - first_] || dom == UINT32_MAX) continue;
        idom_[b - first_] = dom;
        again = true;
      }
    }
  }
  uint32_t common(uint32_t a, uint32_t b) const {
    // Where code order is no dominance order the entry is always right.
    for (uint32_t steps = 0; a != b; ++steps) {
      uint32_t& later = a > b ? a : b;
      const uint32_t up = idom_[later - first_];
      if (up >= later || steps > 2 * (end_ - first_)) return first_;
      later = up;
    }
    return a;
  }
  bool dominates(uint32_t a, uint32_t b) const { return common(a, b) == a; }

  // Loop depth by block, as code order shows loops: nvcc lays them out in one piece, header first.
  void find_loops() {
    depth_.assign(end_ - first_, 0);
    for (uint32_t header = first_; header < end_; ++header) {
      uint32_t latch = UINT32_MAX;
      for (const uint32_t p : g_.flow.predecessors[header]) {
        if (p >= header && p < end_) latch = latch == UINT32_MAX ? p : std::max(latch, p);
      }
      for (uint32_t b = header; latch != UINT32_MAX && b <= latch; ++b) ++depth_[b - first_];
    }
  }

  void find_uses() {
    uses_.resize(g_.registers.size());
    defs_.assign(g_.registers.size(), 0);
    for (uint32_t b = first_; b < end_; ++b) {
      for (const Node& n : g_.blocks[b]) {
        for (const uint32_t v : n.uses) {
          if (uses_[v].empty() || uses_[v].back() != b) uses_[v].push_back(b);
        }
        for (const uint32_t v : n.defs) ++defs_[v];
      }
    }
  }

  bool sink(uint32_t b, size_t k) {
    const Node& n = g_.blocks[b][k];
    if (n.op != OpClass::ldc || !n.constant_operand || n.uniform || n.guarded || n.memory || n.ends ||
        !n.uses.empty() || n.defs.size() != 1 || defs_[n.defs[0]] != 1 || uses_[n.defs[0]].empty())
      return false;
    uint32_t to = uses_[n.defs[0]].front();
    for (const uint32_t u : uses_[n.defs[0]]) to = common(to, u);
    while (to != b && depth_[to - first_] > depth_[b - first_]) to = idom_[to - first_];
    if (to == b || !dominates(b, to) || g_.blocks[to].empty()) return false;
    Node moved = n;
    g_.blocks[b].erase(g_.blocks[b].begin() + static_cast<ptrdiff_t>(k));
    std::vector<Node>& nodes = g_.blocks[to];
    size_t at = 0;  // in front of the first use, or at the end
    while (at < nodes.size() && !nodes[at].ends && !uses(nodes[at], moved.defs[0])) ++at;
    moved.carries = false;
    moved.decoded = nodes[std::min(at, nodes.size() - 1)].decoded;
    nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(at), moved);
    return true;
  }
  static bool uses(const Node& n, uint32_t v) {
    return std::find(n.uses.begin(), n.uses.end(), v) != n.uses.end();
  }

  Graph& g_;
  uint32_t first_, end_;
  std::vector<uint32_t> idom_, depth_;
  std::vector<std::vector<uint32_t>> uses_;  // by virtual register: blocks
  std::vector<uint32_t> defs_;
};

}  // namespace

void sink_constants(Graph& g) {
  for (uint32_t f = 0; f < g.program->functions.size(); ++f) Sinker(g, f).run();
}

}  // namespace gpuloom::ptx
