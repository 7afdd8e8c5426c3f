// SPDX-License-Identifier: Apache-2.0
// Values that do not fit the registers are kept on the stack: stored where they are made, loaded where they
// are read next. A value leaves its register for a gap between two accesses alone (Belady 1966: what is
// needed latest goes first); where most values live that gap goes first that relieves the most operations for
// the fewest accesses, of which those in inner loops weigh more (Chaitin 1982: cost over benefit). What one
// operation makes from nothing is made again instead. Of 40 kernels of machine learning with limits of 70 %
// of their registers, for sm_90, stores and loads come nearer to ptxas's than those of whole values did
// (elementwise_mixture: 184 bytes, 2,084 before, ptxas 128; gemm_f32_ieee 344, 640, 120).
#include "ptx/machine/spill.h"

#include <algorithm>
#include <map>

#include "ptx/machine/calls.h"
#include "ptx/machine/node_questions.h"
#include "ptx/machine/schedule.h"
#include "ptx/passes/loop_nest.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kRounds = 12;
constexpr uint8_t kWord = 4;
constexpr uint32_t kNoGap = UINT32_MAX;

// Loads what a value was stored for: it may be loaded again.
bool is_frame_load(const Node& n) { return n.frame && n.op == OpClass::ldl; }

bool keeps_old(const Node& n) { return n.guarded && !n.fresh; }

class Spiller {
 public:
  Spiller(Graph& g, uint32_t limit)
      : g_(g), limit_(limit), weights_(loop_weights(g.flow)), live_(virtual_liveness(g)) {}

  // Takes registers away where too many live, until no more than the limit do, and at least `words` of them:
  // where values fit and their order in the registers does not. False where nothing can be done.
  bool run(uint32_t words) {
    find_gaps();
    for (uint32_t v = 0; v < values_.size(); ++v) judge(v);
    uint32_t taken = 0;
    for (;;) {
      const auto most = std::max_element(words_.begin(), words_.end());
      if (most == words_.end() || *most == 0 || (*most <= limit_ && taken >= words)) break;
      const uint32_t gap = best_at(static_cast<size_t>(most - words_.begin()));
      if (gap == kNoGap) {
        *most = 0;  // nothing can be done there
        continue;
      }
      vacate(gap);
      taken += g_.registers[gaps_[gap].v].words;
    }
    if (taken == 0) return false;
    find_places();
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) rewrite(b);
    return true;
  }

 private:
  // Where a value lives and is not accessed: in a block in front of a use, or at all borders of blocks. Its
  // points are those where too many values live: behind operations, and at a block's begin.
  struct Gap {
    uint32_t v;
    double cost;  // of loads at its end, by loop depth
    std::vector<uint32_t> points;
    bool vacated = false;
    uint32_t part_of = kNoGap;
  };
  struct Value {
    double cost = 0;  // of stores, by loop depth
    uint32_t defs = 0;
    bool may = true;
    Node maker;
    uint32_t borders = kNoGap;  // its gap at borders of blocks
    uint32_t gap = kNoGap;      // that the walk is in
    bool leaves = false;        // has a vacated gap
    bool again = false;         // is made again and not loaded
    uint16_t offset = 0;        // where it lies in the frame
  };
  struct End {
    uint32_t v, gap;  // what an operation reads, and the gap in front of that
  };

  static bool has(const std::vector<End>& ends, uint32_t v) {
    return std::any_of(ends.begin(), ends.end(), [&](const End& e) { return e.v == v; });
  }

  uint32_t new_gap(uint32_t v, double cost) {
    gaps_.push_back({v, cost, {}});
    return static_cast<uint32_t>(gaps_.size() - 1);
  }

  uint32_t borders(uint32_t v) {
    if (values_[v].borders == kNoGap) values_[v].borders = new_gap(v, 0);
    return values_[v].borders;
  }

  void find_gaps() {
    values_.assign(g_.registers.size(), {});
    ends_.resize(g_.blocks.size());
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      RowSet now = live_.out[b];
      now.for_each([&](uint32_t v) { values_[v].gap = borders(v); });
      ends_[b].resize(g_.blocks[b].size());
      for (size_t k = g_.blocks[b].size(); k-- > 0;) {
        count(now);
        pass(g_.blocks[b][k], weights_[b], now, ends_[b][k]);
      }
      count(now);
      now.for_each([&](uint32_t v) { reach_begin(v); });
    }
  }

  // `now`: what lives behind n, and then in front of it. `ends`: the gaps in front of what n reads.
  void pass(const Node& n, double weight, RowSet& now, std::vector<End>& ends) {
    const auto reads = [&](uint32_t v) {
      if (has(ends, v)) return;
      values_[v].gap = new_gap(v, weight);
      ends.push_back({v, values_[v].gap});
    };
    for (const uint32_t v : n.defs) {
      Value& value = values_[v];
      value.cost += weight;
      ++value.defs;
      value.may = value.may && !n.ends;
      value.maker = n;
      if (keeps_old(n))
        reads(v);
      else
        now.remove(v);
    }
    for (const uint32_t v : n.uses) {
      reads(v);
      now.add(v);
    }
  }

  // The gap in front of a value's first use in a block is one with those at other borders.
  void reach_begin(uint32_t v) {
    const uint32_t own = values_[v].gap, whole = borders(v);
    if (own == whole) return;
    gaps_[whole].cost += gaps_[own].cost;
    gaps_[whole].points.insert(gaps_[whole].points.end(), gaps_[own].points.begin(), gaps_[own].points.end());
    gaps_[own].part_of = whole;
  }

  void count(const RowSet& now) {
    uint32_t words = 0;
    now.for_each([&](uint32_t v) { words += g_.registers[v].uniform ? 0 : g_.registers[v].words; });
    if (words <= limit_) return;
    const auto point = static_cast<uint32_t>(words_.size());
    words_.push_back(words);
    std::vector<uint32_t>& gaps = gaps_at_.emplace_back();
    now.for_each([&](uint32_t v) {
      gaps.push_back(values_[v].gap);
      gaps_[values_[v].gap].points.push_back(point);
    });
  }

  void judge(uint32_t v) {
    const VirtualRegister& r = g_.registers[v];
    Value& value = values_[v];
    const Node& maker = value.maker;
    value.may =
        value.may && !r.whole && r.fixed == kNoRegister && !r.uniform && !r.kept_short && r.words != 0;
    const bool from_nothing =
        maker.uses.empty() && !maker.memory && (is_constant_load(maker.op) || maker.op == OpClass::mov);
    value.again =
        value.defs == 1 && !maker.guarded && maker.defs.size() == 1 && (from_nothing || is_frame_load(maker));
    if (value.again) value.cost = 0;
  }

  uint32_t whole(uint32_t gap) const { return gaps_[gap].part_of == kNoGap ? gap : gaps_[gap].part_of; }

  // Of the gaps at this point the one that relieves the most points for the fewest accesses.
  uint32_t best_at(size_t point) const {
    uint32_t best = kNoGap;
    double most = 0;
    for (const uint32_t part : gaps_at_[point]) {
      const uint32_t gap = whole(part);
      const Gap& g = gaps_[gap];
      const Value& value = values_[g.v];
      if (!value.may || g.vacated) continue;
      const double cost = g.cost + (value.leaves ? 0 : value.cost);
      const double worth = static_cast<double>(g.points.size()) * g_.registers[g.v].words / cost;
      if (worth <= most) continue;
      most = worth;
      best = gap;
    }
    return best;
  }

  void vacate(uint32_t gap) {
    Gap& g = gaps_[gap];
    g.vacated = values_[g.v].leaves = true;
    const uint32_t words = g_.registers[g.v].words;
    for (const uint32_t point : g.points) words_[point] -= std::min(words_[point], words);
  }

  void find_places() {
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      FunctionCode& code = g_.program->functions[g_.liveness.function_of[b]];
      for (const Node& n : g_.blocks[b]) {
        for (const uint32_t v : n.defs) {
          Value& value = values_[v];
          if (!value.leaves || value.again || value.defs == 0) continue;
          value.defs = 0;  // it has a place
          value.offset = static_cast<uint16_t>(code.saved_bytes);
          code.saved_bytes += kWord * g_.registers[v].words;
        }
      }
    }
  }

  // A register that holds a value between some of its accesses.
  struct Holder {
    uint32_t v = kNoVirtual;
    size_t from = 0;  // where it is set
  };

  void rewrite(uint32_t b) {
    std::vector<Node> out;
    std::map<uint32_t, Holder> holders;  // by value
    for (size_t k = 0; k < g_.blocks[b].size(); ++k) {
      Node& n = g_.blocks[b][k];
      for (const End& end : ends_[b][k]) {
        if (!gaps_[whole(end.gap)].vacated) continue;
        const Holder holder = holders[end.v] = hold(end.v, out.size());
        out.push_back(loaded(values_[end.v], end.v, n.decoded, holder.v));
      }
      std::vector<uint32_t> stored;
      for (const uint32_t v : n.defs) {
        if (!values_[v].leaves) continue;
        stored.push_back(v);
        if (!has(ends_[b][k], v)) holders[v] = hold(v, out.size());
      }
      rename(n, holders, out.size());
      const uint32_t decoded = n.decoded;
      out.push_back(std::move(n));
      for (const uint32_t v : stored) {
        if (values_[v].again) continue;
        out.push_back(access(OpClass::stl, decoded, values_[v].offset, v));
        out.back().uses = {holders.count(v) != 0 ? holders[v].v : v};
      }
    }
    g_.blocks[b] = std::move(out);
  }

  // What is in a register at borders of blocks is in the same one within them.
  Holder hold(uint32_t v, size_t place) {
    const uint32_t borders = values_[v].borders;
    if (borders != kNoGap && !gaps_[borders].vacated) return {v, place};
    VirtualRegister r = g_.registers[v];
    r.kept_short = true;
    g_.registers.push_back(r);
    return {static_cast<uint32_t>(g_.registers.size() - 1), place};
  }

  void rename(Node& n, const std::map<uint32_t, Holder>& holders, size_t place) {
    for (std::vector<uint32_t>* list : {&n.uses, &n.defs, &n.tuple}) {
      for (uint32_t& v : *list) {
        const auto it = holders.find(v);
        if (it == holders.end() || it->second.v == v) continue;
        v = it->second.v;
        if (place - it->second.from > kNear) g_.registers[v].kept_short = false;
      }
    }
  }

  Node loaded(const Value& value, uint32_t v, uint32_t decoded, uint32_t to) const {
    Node load = value.again ? value.maker : access(OpClass::ldl, decoded, value.offset, v);
    load.carries = false;
    load.decoded = decoded;
    load.defs = {to};
    return load;
  }

  Node access(OpClass op, uint32_t decoded, uint16_t offset, uint32_t v) const {
    Node n = frame_access(op, decoded, offset, static_cast<uint8_t>(kWord * g_.registers[v].words));
    n.loads = op == OpClass::ldl;
    return n;
  }

  Graph& g_;
  const uint32_t limit_;
  const std::vector<double> weights_;  // by block
  const VirtualLiveness live_;         // before anything is spilled
  std::vector<Value> values_;
  std::vector<Gap> gaps_;
  std::vector<std::vector<std::vector<End>>> ends_;  // by block and operation
  std::vector<uint32_t> words_;                      // registers that live, by point
  std::vector<std::vector<uint32_t>> gaps_at_;       // by point: of each value that lives there
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
