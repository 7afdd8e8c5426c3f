// SPDX-License-Identifier: Apache-2.0
// A thread has seven predicates. Where an order has more of them alive, those that are read last wait in
// registers: P2R behind the comparison, and ISETP in front of what reads them (Belady 1966; SASS of
// vector_add, whose eight masks are read by loads and, much later, by stores).
#include <algorithm>
#include <map>
#include <set>

#include "ptx/ir/predicates.h"
#include "ptx/machine/schedule.h"
#include "ptx/machine/spill.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kRounds = 4;  // an order may change with what has been put in

// A predicate that waits in a register, and who reads it there: all behind `home`'s block, and in that block
// `readers` (by place before scheduling).
struct Waiting {
  uint32_t home = 0;
  std::set<uint32_t> readers;
};

class PredicateSaver {
 public:
  explicit PredicateSaver(Graph& g) : g_(g) {}

  void run() {
    for (uint32_t round = 0; round < kRounds && crowded(); ++round) {
      find_definitions();
      waiting_.clear();
      find();
      if (waiting_.empty()) return;
      for (uint32_t b = 0; b < g_.blocks.size(); ++b) rewrite(b);
    }
  }

 private:
  bool is_predicate(uint32_t v) const { return g_.registers[v].words == 0 && !g_.registers[v].uniform; }

  // Whether any block names or passes on more than there are.
  bool crowded() const {
    const VirtualLiveness live = virtual_liveness(g_);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      std::set<uint32_t> all;
      const auto add = [&](uint32_t v) {
        if (is_predicate(v)) all.insert(v);
      };
      live.in[b].for_each(add);
      for (const Node& n : g_.blocks[b]) {
        for (const uint32_t v : n.uses) add(v);
        for (const uint32_t v : n.defs) add(v);
      }
      if (all.size() > kPredicateRegisters) return true;
    }
    return false;
  }

  // Those with one definition that always takes place may wait, and none that comes from waiting.
  void find_definitions() {
    constexpr uint32_t kNowhere = UINT32_MAX;
    home_.assign(g_.registers.size(), kNowhere);
    std::vector<uint32_t> times(g_.registers.size(), 0);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
      for (const Node& n : g_.blocks[b]) {
        for (const uint32_t v : n.defs) {
          ++times[v];
          home_[v] = (n.guarded && !n.fresh) || n.ends || kept_short_.count(v) != 0 ? kNowhere : b;
        }
      }
    }
    for (uint32_t v = 0; v < times.size(); ++v)
      if (times[v] != 1) home_[v] = kNowhere;
  }
  bool may_wait(uint32_t v) const { return home_[v] != UINT32_MAX; }

  // Which wait, in the order that the scheduler would take; the graph is as it was afterwards.
  void find() {
    const std::vector<std::vector<Node>> source = g_.blocks;
    Scheduler scheduler(g_, false);
    const uint32_t most = g_.model->profile.first_registers;
    scheduler.run(most - std::min(most, kNotForValues));
    const VirtualLiveness live = virtual_liveness(g_);
    for (uint32_t b = 0; b < g_.blocks.size(); ++b) walk(b, scheduler.order_of(b), live);
    g_.blocks = source;
  }

  // Through a block in its order, with the predicates that are in their places.
  void walk(uint32_t b, const std::vector<uint32_t>& order, const VirtualLiveness& live) {
    const std::vector<Node>& nodes = g_.blocks[b];
    std::map<uint32_t, std::vector<uint32_t>> uses;  // by predicate, places in the order
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      for (const uint32_t v : nodes[k].uses)
        if (is_predicate(v)) uses[v].push_back(k);
    }
    const auto next_use = [&](uint32_t v, uint32_t from) {
      const std::vector<uint32_t>& at = uses[v];
      const auto it = std::lower_bound(at.begin(), at.end(), from);
      return it == at.end() ? UINT32_MAX : *it;
    };
    const auto lives_behind = [&](uint32_t v, uint32_t k) {
      return next_use(v, k + 1) != UINT32_MAX || live.out[b].has(v);
    };
    std::set<uint32_t> now;
    live.in[b].for_each([&](uint32_t v) {
      if (is_predicate(v) && !waits(v, b)) now.insert(v);
    });
    // Makes room for `more` in front of `k`; nobody whom `k` itself reads goes.
    const auto make_room = [&](uint32_t k, size_t more) {
      while (now.size() + more > kPredicateRegisters) {
        uint32_t last = kNoVirtual, at = k;
        for (const uint32_t v : now) {
          const uint32_t next = next_use(v, k);
          if (!may_wait(v) || next <= at) continue;
          last = v;
          at = next;
        }
        if (last == kNoVirtual) return;
        now.erase(last);
        Waiting& w = waiting_[last];
        w.home = home_[last];
        if (w.home != b) continue;
        for (const uint32_t use : uses[last])
          if (use >= k) w.readers.insert(order[use]);
      }
    };
    for (uint32_t k = 0; k < nodes.size(); ++k) {
      std::set<uint32_t> fetched;
      for (const uint32_t v : nodes[k].uses)
        if (is_predicate(v) && now.count(v) == 0) fetched.insert(v);
      make_room(k, fetched.size());
      for (const uint32_t v : nodes[k].uses)
        if (now.count(v) != 0 && !lives_behind(v, k)) now.erase(v);
      std::set<uint32_t> made;
      for (const uint32_t v : nodes[k].defs)
        if (is_predicate(v) && now.count(v) == 0 && lives_behind(v, k)) made.insert(v);
      make_room(k + 1, made.size());
      now.insert(made.begin(), made.end());
    }
  }
  // Whether v is not in its place at the begin of block b.
  bool waits(uint32_t v, uint32_t b) const {
    const auto it = waiting_.find(v);
    return it != waiting_.end() && it->second.home != b;
  }

  void rewrite(uint32_t b) {
    std::vector<Node> out;
    std::map<uint32_t, std::pair<uint32_t, size_t>> fetched;  // by predicate: what has it now, since where
    uint32_t place = 0;
    for (Node& n : g_.blocks[b]) {
      std::vector<uint32_t> reads;
      for (const uint32_t v : n.uses)
        if (reads_waiting(v, b, place)) reads.push_back(v);
      for (const uint32_t v : reads) {
        const auto it = fetched.find(v);
        if (it == fetched.end() || out.size() - it->second.second > kNear) fetch(v, n, out, fetched);
        fetched[v].second = out.size();
        std::replace(n.uses.begin(), n.uses.end(), v, fetched[v].first);
      }
      std::vector<uint32_t> saved;
      for (const uint32_t v : n.defs)
        if (waiting_.count(v) != 0) saved.push_back(v);
      const uint32_t decoded = n.decoded;
      out.push_back(std::move(n));
      for (const uint32_t v : saved) save(v, decoded, out);
      ++place;
    }
    g_.blocks[b] = std::move(out);
  }
  bool reads_waiting(uint32_t v, uint32_t b, uint32_t place) const {
    const auto it = waiting_.find(v);
    if (it == waiting_.end()) return false;
    return it->second.home != b || it->second.readers.count(place) != 0;
  }

  void save(uint32_t v, uint32_t decoded, std::vector<Node>& out) {
    Node& n = out.emplace_back();
    n.op = OpClass::p2r;
    n.decoded = decoded;
    n.uses = {v};
    n.defs = {register_of(v)};
  }

  void fetch(uint32_t v, const Node& reader, std::vector<Node>& out,
             std::map<uint32_t, std::pair<uint32_t, size_t>>& fetched) {
    VirtualRegister predicate = g_.registers[v];
    g_.registers.push_back(predicate);
    const auto fresh = static_cast<uint32_t>(g_.registers.size() - 1);
    kept_short_.insert(fresh);
    Node& n = out.emplace_back();
    n.op = OpClass::isetp;
    n.decoded = reader.decoded;
    n.uses = {register_of(v)};
    n.defs = {fresh};
    fetched[v].first = fresh;
  }

  uint32_t register_of(uint32_t v) {
    const auto [it, added] = saved_in_.try_emplace(v, static_cast<uint32_t>(g_.registers.size()));
    if (added) g_.registers.push_back({});
    return it->second;
  }

  Graph& g_;
  std::vector<uint32_t> home_;  // by predicate that may wait: the block that makes it
  std::map<uint32_t, Waiting> waiting_;
  std::map<uint32_t, uint32_t> saved_in_;  // by predicate: the register in which it waits
  std::set<uint32_t> kept_short_;
};

}  // namespace

void save_predicates(Graph& g) { PredicateSaver(g).run(); }

}  // namespace gpuloom::ptx
