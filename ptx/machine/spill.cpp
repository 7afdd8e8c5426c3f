// SPDX-License-Identifier: Apache-2.0
// Values that do not fit the registers are kept on the stack: stored where they are made, loaded where they
// are used. Those go first that lie in registers for long where too many do and are used rarely, and in inner
// loops least (Chaitin 1982: cost over benefit). What one operation makes from nothing is made again instead.
#include "ptx/machine/spill.h"

#include <algorithm>

#include "ptx/machine/calls.h"
#include "ptx/machine/loop_nest.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/schedule.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kRounds = 12;
constexpr uint8_t kWord = 4;

class Spiller {
 public:
  Spiller(Graph& g, uint32_t limit) : g_(g), limit_(limit), weights_(loop_weights(g.flow)) {}

  // Takes at least `words` registers away where too many live; false where nothing can be done.
  bool run(uint32_t words) {
    weigh();
    std::vector<uint32_t> order;
    for (uint32_t v = 0; v < values_.size(); ++v) {
      const VirtualRegister& r = g_.registers[v];
      const bool may = values_[v].lives != 0 && values_[v].may && !r.whole && r.fixed == kNoRegister &&
                       !r.uniform && !r.kept_short && r.words != 0;
      if (may) order.push_back(v);
    }
    const auto worth = [&](uint32_t v) { return values_[v].lives * g_.registers[v].words / values_[v].cost; };
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return worth(a) > worth(b); });
    uint32_t taken = 0;
    for (size_t k = 0; k < order.size() && taken < words; ++k) {
      taken += g_.registers[order[k]].words;
      spill(order[k]);
    }
    return taken != 0;
  }

 private:
  struct Value {
    double cost = 0;   // accesses, by loop depth
    double lives = 0;  // operations during which it lives and too many do
    uint32_t defs = 0;
    bool may = true;
    Node maker;
  };

  void weigh() {
    values_.assign(g_.registers.size(), {});
    const VirtualLiveness live = virtual_liveness(g_);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      const double weight = weights_[b];
      RowSet now = live.out[b];
      for (size_t k = g_.blocks[b].size(); k-- > 0;) {
        const Node& n = g_.blocks[b][k];
        count(now);
        for (const uint32_t v : n.defs) {
          values_[v].cost += weight;
          ++values_[v].defs;
          values_[v].may = values_[v].may && !n.ends;
          values_[v].maker = n;
          if (!n.guarded || n.fresh) now.remove(v);
        }
        for (const uint32_t v : n.uses) {
          values_[v].cost += weight;
          now.add(v);
        }
      }
      count(now);
    }
  }

  void count(const RowSet& now) {
    uint32_t words = 0;
    now.for_each([&](uint32_t v) { words += g_.registers[v].uniform ? 0 : g_.registers[v].words; });
    if (words > limit_) now.for_each([&](uint32_t v) { values_[v].lives += 1; });
  }

  static bool has(const std::vector<uint32_t>& list, uint32_t v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  }

  void spill(uint32_t v) {
    const Node& maker = values_[v].maker;
    const bool again = values_[v].defs == 1 && maker.uses.empty() && !maker.memory && !maker.guarded &&
                       maker.defs.size() == 1 && (is_constant_load(maker.op) || maker.op == OpClass::mov);
    FunctionCode* code = nullptr;
    uint16_t offset = 0;
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      if (code == nullptr && touches(b, v)) {
        code = &g_.program->functions[g_.liveness.function_of[b]];
        offset = static_cast<uint16_t>(code->saved_bytes);
        if (!again) code->saved_bytes += kWord * g_.registers[v].words;
      }
      rewrite(g_.blocks[b], v, again ? &maker : nullptr, offset);
    }
  }

  bool touches(uint32_t b, uint32_t v) const {
    return std::any_of(g_.blocks[b].begin(), g_.blocks[b].end(),
                       [&](const Node& n) { return has(n.uses, v) || has(n.defs, v); });
  }

  void rewrite(std::vector<Node>& nodes, uint32_t v, const Node* maker, uint16_t offset) {
    std::vector<Node> out;
    uint32_t current = kNoVirtual;  // holds v now
    size_t since = 0;
    for (Node& n : nodes) {
      const bool uses = has(n.uses, v), defines = has(n.defs, v);
      if (uses && (current == kNoVirtual || out.size() - since > kNear)) {
        current = temporary(v);
        Node load = maker != nullptr ? *maker : access(OpClass::ldl, n.decoded, offset, v);
        load.carries = false;
        load.decoded = n.decoded;
        load.defs = {current};
        out.push_back(std::move(load));
      }
      if (defines && !uses) current = temporary(v);
      if (uses || defines) {
        std::replace(n.uses.begin(), n.uses.end(), v, current);
        std::replace(n.defs.begin(), n.defs.end(), v, current);
        std::replace(n.tuple.begin(), n.tuple.end(), v, current);
        since = out.size();
      }
      const uint32_t decoded = n.decoded;
      out.push_back(std::move(n));
      if (!defines || maker != nullptr) continue;
      out.push_back(access(OpClass::stl, decoded, offset, v));
      out.back().uses = {current};
    }
    nodes = std::move(out);
  }

  Node access(OpClass op, uint32_t decoded, uint16_t offset, uint32_t v) const {
    Node n = frame_access(op, decoded, offset, static_cast<uint8_t>(kWord * g_.registers[v].words));
    n.loads = op == OpClass::ldl;
    return n;
  }

  uint32_t temporary(uint32_t v) {
    VirtualRegister r = g_.registers[v];
    r.kept_short = true;
    g_.registers.push_back(r);
    return static_cast<uint32_t>(g_.registers.size() - 1);
  }

  Graph& g_;
  uint32_t limit_;
  const std::vector<double> weights_;  // by block
  std::vector<Value> values_;
};

uint32_t stack_bytes(const Graph& g) {
  uint32_t sum = 0;
  for (const FunctionCode& f : g.program->functions) sum += f.saved_bytes;
  return sum;
}

}  // namespace

uint32_t allocate_with_spills(Graph& g, uint32_t most, uint32_t& spilled) {
  uint32_t used = schedule_and_allocate(g, most);
  for (uint32_t round = 0; round < kRounds && used > most; ++round) {
    const uint32_t limit = most - std::min(most - 1, kNotForValues);
    if (!Spiller(g, limit).run(used - most)) break;
    used = schedule_and_allocate(g, most);
  }
  spilled = stack_bytes(g);
  return used;
}

}  // namespace gpuloom::ptx
