// SPDX-License-Identifier: Apache-2.0
// What the constant bank holds is loaded again behind a call instead of taking a register that must be kept
// (SASS of indirect_calls: LDC.64 of the table's address before every call).
#include <algorithm>

#include "ptx/machine/calls.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {

namespace {

class Rematerializer {
 public:
  explicit Rematerializer(Graph& g) : g_(g), defs_(g.registers.size(), 0), maker_(g.registers.size()) {}

  void run() {
    const RowSet across = across_calls();
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        for (const uint32_t v : n.defs) {
          ++defs_[v];
          maker_[v] = n;
        }
      }
    }
    across.for_each([&](uint32_t v) {
      if (defs_[v] == 1 && is_constant(maker_[v])) reload(v);
    });
  }

 private:
  RowSet across_calls() const {
    RowSet across(g_.registers.size());
    const VirtualLiveness live = virtual_liveness(g_);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      if (g_.blocks[b].empty() || !g_.blocks[b].back().clobbers) continue;
      RowSet here = live.out[b];
      for (const uint32_t v : g_.blocks[b].back().defs) here.remove(v);
      across.merge(here);
    }
    return across;
  }

  static bool is_constant(const Node& n) { return loads_one_constant(n) && !n.memory && !n.uniform; }
  static bool uses(const Node& n, uint32_t v) {
    return std::find(n.uses.begin(), n.uses.end(), v) != n.uses.end();
  }

  void reload(uint32_t v) {
    for (std::vector<Node>& nodes : g_.blocks) {
      const auto made = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) {
        return std::find(n.defs.begin(), n.defs.end(), v) != n.defs.end();
      });
      if (made != nodes.end()) continue;  // those behind it in its own block keep it
      const auto first = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return uses(n, v); });
      if (first == nodes.end()) continue;
      Node again = maker_[v];
      again.carries = false;
      again.decoded = first->decoded;
      again.defs = {static_cast<uint32_t>(g_.registers.size())};
      g_.registers.push_back(g_.registers[v]);
      for (auto n = first; n != nodes.end(); ++n) {
        std::replace(n->uses.begin(), n->uses.end(), v, again.defs[0]);
        std::replace(n->tuple.begin(), n->tuple.end(), v, again.defs[0]);
      }
      nodes.insert(first, again);
    }
    drop_unused(v);
  }

  void drop_unused(uint32_t v) {
    for (std::vector<Node>& nodes : g_.blocks) {
      const auto made = std::find_if(nodes.begin(), nodes.end(),
                                     [&](const Node& n) { return n.defs.size() == 1 && n.defs[0] == v; });
      if (made == nodes.end()) continue;
      const bool used = std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) { return uses(n, v); });
      const bool others =
          std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) { return n.carries && &n != &*made; });
      if (!used && (others || !made->carries)) nodes.erase(made);
      return;
    }
  }

  Graph& g_;
  std::vector<uint32_t> defs_;
  std::vector<Node> maker_;
};

}  // namespace

void rematerialize_constants(Graph& g) {
  const bool calls = std::any_of(g.blocks.begin(), g.blocks.end(), [](const std::vector<Node>& nodes) {
    return !nodes.empty() && nodes.back().clobbers;
  });
  if (calls) Rematerializer(g).run();
}

}  // namespace gpuloom::ptx
