// SPDX-License-Identifier: Apache-2.0
// A value that goes into a parameter, or comes out of one, is made or used in the parameter's register where
// the two never hold different values at a time (Chaitin, "Register allocation and spilling via graph
// coloring", 1982: coalescing). What cannot share a register is copied.
#include <algorithm>
#include <numeric>
#include <set>

#include "ptx/machine/calls.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

class Coalescer {
 public:
  explicit Coalescer(Graph& g) : g_(g), candidate_(g.registers.size(), 0) {}

  void run() {
    find_candidates();
    if (copies_.empty()) return;
    across_.assign(g_.registers.size(), 0);
    parent_.resize(g_.registers.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    for (uint32_t v = 0; v < g_.registers.size(); ++v) members_.push_back({v});
    find_clashes();
    for (const auto& [d, s] : copies_) merge(find(d), find(s));
    rename();
    for (std::vector<Node>& nodes : g_.blocks) drop_copies(nodes);
  }

 private:
  void find_candidates() {
    for (uint32_t v = 0; v < g_.registers.size(); ++v) {
      if (!g_.registers[v].whole) continue;
      candidate_[v] = 1;
      if (g_.registers[v].fixed != kNoRegister) fixed_.push_back(v);
    }
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        if (!n.copies || n.guarded || n.uses.size() != 1 || n.defs.size() != 1) continue;
        const VirtualRegister &to = g_.registers[n.defs[0]], &from = g_.registers[n.uses[0]];
        if (to.uniform || from.uniform || to.words != from.words) continue;
        copies_.emplace_back(n.defs[0], n.uses[0]);
        candidate_[n.defs[0]] = candidate_[n.uses[0]] = 1;
      }
    }
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        if (!n.memory || n.defs.size() < 2) continue;
        for (const uint32_t v : n.defs) candidate_[v] = 0;  // registers of a wide load go together
      }
    }
  }

  void clash(uint32_t a, uint32_t b) {
    if (a != b && candidate_[a] != 0 && candidate_[b] != 0) clashes_.insert(std::minmax(a, b));
  }

  void find_clashes() {
    const VirtualLiveness live = virtual_liveness(g_);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      RowSet now = live.out[b];
      const std::vector<Node>& nodes = g_.blocks[b];
      if (!nodes.empty() && calls(nodes.back())) around_call(nodes.back(), now);
      for (size_t k = nodes.size(); k-- > 0;) {
        const Node& n = nodes[k];
        const uint32_t same = n.copies && n.uses.size() == 1 ? n.uses[0] : kNoVirtual;
        for (const uint32_t d : n.defs) {
          if (candidate_[d] == 0) continue;
          now.for_each([&](uint32_t v) {
            if (v != same) clash(d, v);
          });
        }
        if (!n.guarded || n.fresh) {
          for (const uint32_t v : n.defs) now.remove(v);
        }
        for (const uint32_t v : n.uses) now.add(v);
      }
    }
    for (size_t f = 0; f + 1 < g_.flow.first_block.size(); ++f) {  // parameters come together
      const RowSet& in = live.in[g_.flow.first_block[f]];
      in.for_each([&](uint32_t a) { in.for_each([&](uint32_t b) { clash(a, b); }); });
    }
  }

  // What lives across a call shares no register with what the callee works on.
  void around_call(const Node& call, const RowSet& after) {
    RowSet across = after;
    for (const uint32_t v : call.defs) across.remove(v);
    if (call.clobbers) {
      across.for_each([&](uint32_t v) { across_[v] = 1; });
      return;
    }
    for (const uint32_t f : callees_of(g_, call)) {
      for (uint32_t b = g_.flow.first_block[f]; b < g_.flow.first_block[f + 1]; ++b) {
        for (const Node& n : g_.blocks[b]) {
          for (const auto* list : {&n.uses, &n.defs}) {
            for (const uint32_t w : *list) {
              if (candidate_[w] != 0) across.for_each([&](uint32_t v) { clash(v, w); });
            }
          }
        }
      }
    }
  }

  uint32_t find(uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }

  uint8_t fixed(uint32_t root) const { return g_.registers[root].fixed; }

  // A root is of the convention's registers or a parameter's where one member is.
  void merge(uint32_t a, uint32_t b) {
    if (a == b || candidate_[a] == 0 || candidate_[b] == 0) return;
    if (fixed(a) == kNoRegister && fixed(b) != kNoRegister) std::swap(a, b);
    if (fixed(b) != kNoRegister) return;
    if (fixed(a) == kNoRegister && !g_.registers[a].whole && g_.registers[b].whole) std::swap(a, b);
    for (const uint32_t x : members_[a]) {
      for (const uint32_t y : members_[b]) {
        if (clashes_.count(std::minmax(x, y)) != 0) return;
      }
    }
    if (fixed(a) != kNoRegister && !may_be(members_[b], fixed(a), g_.registers[a].words)) return;
    parent_[b] = a;
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
  }

  bool may_be(const std::vector<uint32_t>& values, unsigned first, unsigned words) const {
    return std::none_of(values.begin(), values.end(), [&](uint32_t v) {
      if (across_[v] != 0 && !is_kept(first)) return true;
      return std::any_of(fixed_.begin(), fixed_.end(), [&](uint32_t other) {
        const VirtualRegister& r = g_.registers[other];
        const bool overlaps = r.fixed < first + words && first < unsigned{r.fixed} + r.words;
        return overlaps && clashes_.count(std::minmax(v, other)) != 0;
      });
    });
  }

  void rename() {
    for (std::vector<Node>& nodes : g_.blocks) {
      for (Node& n : nodes) {
        for (uint32_t& v : n.uses) v = find(v);
        for (uint32_t& v : n.tuple) v = v == kNoVirtual ? v : find(v);
        for (uint32_t& v : n.defs) v = find(v);
      }
    }
  }

  // What copies a register to itself goes, as long as something in the block carries its instruction; what
  // is left of 64 bits takes two moves.
  void drop_copies(std::vector<Node>& nodes) {
    size_t carriers = static_cast<size_t>(
        std::count_if(nodes.begin(), nodes.end(), [](const Node& n) { return n.carries; }));
    std::vector<Node> kept;
    for (Node& n : nodes) {
      const bool nothing = n.copies && !n.guarded && n.uses.size() == 1 && n.defs == n.uses;
      if (nothing && (!n.carries || carriers > 1)) {
        carriers -= n.carries ? 1 : 0;
        continue;
      }
      if (n.copies && !n.defs.empty() && g_.registers[n.defs[0]].words == 2 && !nothing) {
        Node half = n;
        half.carries = false;
        half.defs.clear();
        kept.push_back(std::move(half));
      }
      kept.push_back(std::move(n));
    }
    nodes = std::move(kept);
  }

  Graph& g_;
  std::vector<uint8_t> candidate_;
  std::vector<uint8_t> across_;                        // lives across a call by the convention
  std::vector<uint32_t> fixed_;                        // registers of the convention
  std::vector<std::pair<uint32_t, uint32_t>> copies_;  // to, from
  std::set<std::pair<uint32_t, uint32_t>> clashes_;
  std::vector<uint32_t> parent_;
  std::vector<std::vector<uint32_t>> members_;
};

}  // namespace

void coalesce_parameters(Graph& g) { Coalescer(g).run(); }

}  // namespace gpuloom::ptx
