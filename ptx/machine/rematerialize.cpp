// SPDX-License-Identifier: Apache-2.0
// What is made again where it is needed instead of living until then. What the constant bank holds is loaded
// again behind a call instead of taking a register that must be kept (SASS of indirect_calls: LDC.64 of the
// table's address before every call). Where registers are short, so are sums.
#include <algorithm>
#include <map>
#include <memory>

#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/calls.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/pressure.h"
#include "ptx/machine/schedule.h"

namespace gpuloom::ptx {

namespace {

bool uses(const Node& n, uint32_t v) { return std::find(n.uses.begin(), n.uses.end(), v) != n.uses.end(); }

void drop_unused(Graph& g, uint32_t v) {
  for (std::vector<Node>& nodes : g.blocks) {
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

// `maker` makes `v` once more in front of its first use in each block but its own, where those behind it keep
// it.
void make_again(Graph& g, uint32_t v, const Node& maker) {
  for (std::vector<Node>& nodes : g.blocks) {
    const auto made = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) {
      return std::find(n.defs.begin(), n.defs.end(), v) != n.defs.end();
    });
    if (made != nodes.end()) continue;
    const auto first = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return uses(n, v); });
    if (first == nodes.end()) continue;
    Node again = maker;
    again.carries = false;
    again.decoded = first->decoded;
    again.defs = {static_cast<uint32_t>(g.registers.size())};
    g.registers.push_back(g.registers[v]);
    for (auto n = first; n != nodes.end(); ++n) {
      std::replace(n->uses.begin(), n->uses.end(), v, again.defs[0]);
      std::replace(n->tuple.begin(), n->tuple.end(), v, again.defs[0]);
    }
    nodes.insert(first, again);
  }
  drop_unused(g, v);
}

struct Maker {
  uint32_t defs = 0;
  std::shared_ptr<const Node> node;  // of the only definition, where it may be made again
};

// By virtual register.
std::vector<Maker> makers_of(const Graph& g, bool (*may)(const Node&)) {
  std::vector<Maker> makers(g.registers.size());
  for (const std::vector<Node>& nodes : g.blocks) {
    for (const Node& n : nodes) {
      for (const uint32_t v : n.defs) {
        const bool only = ++makers[v].defs == 1;
        makers[v].node = only && may(n) ? std::make_shared<const Node>(n) : nullptr;
      }
    }
  }
  return makers;
}

class Rematerializer {
 public:
  explicit Rematerializer(Graph& g) : g_(g) {}

  void run() {
    const RowSet across = across_calls();
    const std::vector<Maker> makers = makers_of(g_, is_constant);
    across.for_each([&](uint32_t v) {
      if (makers[v].node != nullptr) make_again(g_, v, *makers[v].node);
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

  Graph& g_;
};

// Values that live through a block where too many do, and that one integer operation makes of what lives
// there anyway, or of one value that several are made of, are made where they are needed (SASS of
// softmax_online: the columns of a thread, tid | 256 and so on, once more in each turn of the loop, 32
// registers instead of 48; Briggs, Cooper and Torczon, PLDI 1992). No more of them than must be: of the
// places of a thread, which cub's DeviceScan compares before and behind its sums, most live until then (64
// registers; 67 with all, 47 with none).
class SumsAgain {
 public:
  SumsAgain(Graph& g, uint32_t limit) : g_(g), limit_(limit) {}

  bool run() {
    bool any = false;
    for (uint32_t round = 0; round < kRounds && this->round(); ++round) any = true;
    return any;
  }

 private:
  static constexpr uint32_t kRounds = 4;

  bool round() {
    const VirtualLiveness live = virtual_liveness(g_);
    find_crowded(live);
    if (crowded_.empty()) return false;
    find_makers();
    std::map<uint32_t, std::vector<uint32_t>> by_source;  // kNoVirtual: needs nothing else
    for (uint32_t v = 0; v < makers_.size(); ++v) {
      if (makers_[v].node == nullptr || !in_a_crowd(v, live)) continue;
      uint32_t source = kNoVirtual;
      if (sources(v, live, source)) by_source[source].push_back(v);
    }
    bool any = false;
    for (const auto& [source, made] : by_source) {
      uint32_t gain = 0;
      for (const uint32_t v : made) gain += g_.registers[v].words;
      if (source != kNoVirtual && gain <= g_.registers[source].words) continue;
      // The source takes up room of its own.
      if (source != kNoVirtual) make_room(source, live, false);
      for (const uint32_t v : made) {
        if (!in_a_crowd(v, live)) continue;
        make_again(g_, v, *makers_[v].node);
        make_room(v, live, true);
        any = true;
      }
    }
    return any;
  }

  // v no longer lives through the crowded blocks, or does so now.
  void make_room(uint32_t v, const VirtualLiveness& live, bool room) {
    for (Crowd& c : crowded_)
      if (live.in[c.block].has(v) == room)
        c.excess += (room ? -1 : 1) * static_cast<int>(g_.registers[v].words);
  }

  static bool plain(const Node& n) {
    const bool integer = is(n.op, kOnUniformPath) || n.op == OpClass::imad_wide || moves_constant(n);
    return integer && !n.uniform && !n.memory && !n.loads && !n.stores && !n.guarded && !n.predicated &&
           !n.ordered && !n.volatile_order && !n.ends && !n.copies && n.defs.size() == 1 && n.also.empty();
  }

  void find_makers() {
    makers_ = makers_of(g_, plain);
    for (const std::vector<Node>& nodes : g_.blocks) {
      for (const Node& n : nodes) {
        for (const auto& row : n.rows) {
          for (const uint32_t v : row) {
            if (v < makers_.size()) makers_[v].node = nullptr;
          }
        }
        for (const uint32_t v : n.descriptors) makers_[v].node = nullptr;
      }
    }
    for (uint32_t v = 0; v < makers_.size(); ++v) {
      const VirtualRegister& r = g_.registers[v];
      if (r.uniform || r.words == 0 || r.whole || r.fixed != kNoRegister) makers_[v].node = nullptr;
    }
  }

  void find_crowded(const VirtualLiveness& live) {
    crowded_.clear();
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      Pressure pressure(g_, g_.blocks[b], live.in[b], live.out[b]);
      uint32_t most = pressure.now();
      for (uint32_t k = 0; k < g_.blocks[b].size(); ++k) {
        pressure.issue(k);
        most = std::max(most, pressure.now());
      }
      if (most > limit_) crowded_.push_back({b, static_cast<int>(most - limit_)});
    }
  }

  bool in_a_crowd(uint32_t v, const VirtualLiveness& live) const {
    return std::any_of(crowded_.begin(), crowded_.end(),
                       [&](const Crowd& c) { return c.excess > 0 && live.in[c.block].has(v); });
  }

  // Whether v can be made again of values that live wherever it does, but for one at most: `source`.
  bool sources(uint32_t v, const VirtualLiveness& live, uint32_t& source) const {
    for (const uint32_t u : makers_[v].node->uses) {
      if (g_.registers[u].words == 0) return false;
      if (g_.registers[u].uniform) continue;
      if (makers_[u].defs != 1) return false;
      bool lives = true;
      for (uint32_t b = 0; lives && b < g_.blocks.size(); ++b)
        lives = !live.in[b].has(v) || live.in[b].has(u);
      if (lives || u == source) continue;
      if (source != kNoVirtual) return false;
      source = u;
    }
    return true;
  }

  Graph& g_;
  uint32_t limit_;
  struct Crowd {
    uint32_t block;
    int excess;  // registers that live there beyond the limit
  };
  std::vector<Crowd> crowded_;
  std::vector<Maker> makers_;  // by virtual register
};

}  // namespace

bool rematerialize_sums(Graph& g, uint32_t limit) { return SumsAgain(g, limit).run(); }

void rematerialize_constants(Graph& g) {
  const bool calls = std::any_of(g.blocks.begin(), g.blocks.end(), [](const std::vector<Node>& nodes) {
    return !nodes.empty() && nodes.back().clobbers;
  });
  if (calls) Rematerializer(g).run();
}

}  // namespace gpuloom::ptx
