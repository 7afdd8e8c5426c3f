// SPDX-License-Identifier: Apache-2.0
// List scheduling within a block: operations with the longest way to the block's end first, as soon as their
// sources are there, while few enough registers live (Gibbons & Muchnick, PLDI 1986). Loads, with their long
// latencies, go up; what uses them goes down.
#include <algorithm>
#include <unordered_map>

#include "ptx/machine/dependence.h"

namespace gpuloom::ptx {

namespace {

// Registers that a schedule may always use without being held back: ptxas fills small kernels to about this.
constexpr uint32_t kFreeRegisters = 20;
constexpr uint32_t kSlackRegisters = 4;

class BlockScheduler {
 public:
  BlockScheduler(Graph& g, uint32_t b, const RowSet& live_out)
      : g_(g), b_(b), nodes_(g.blocks[b]), live_out_(live_out) {}

  void run() {
    if (nodes_.size() < 3) return;
    order_decoded();
    order_registers();
    weigh();
    limit_ = std::max(kFreeRegisters, pressure_in_source_order() + kSlackRegisters);
    place();
  }

 private:
  void edge(uint32_t from, uint32_t to, uint32_t latency) {
    if (from == to) return;
    after_[from].push_back({to, latency});
    ++waiting_[to];
  }

  uint32_t latency(const Node& n) const {
    return std::max<uint32_t>(1, g_.model->latency[static_cast<size_t>(n.op)].latency);
  }

  // Dependences of decoded instructions, seen through those that no operation carries.
  void order_decoded() {
    after_.resize(nodes_.size());
    waiting_.assign(nodes_.size(), 0);
    const uint32_t first = g_.flow.blocks[b_].first;
    const auto before = block_dependences(g_, b_);
    std::vector<uint32_t> carrier(before.size(), UINT32_MAX);
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].carries) carrier[nodes_[k].decoded - first] = k;
      for (const uint32_t i : nodes_[k].also) carrier[i - first] = k;
    }
    std::vector<std::vector<uint32_t>> carriers(
        before.size());  // that must have issued before the instruction
    for (uint32_t i = 0; i < before.size(); ++i) {
      for (const uint32_t k : before[i]) {
        if (carrier[k] != UINT32_MAX) {
          carriers[i].push_back(carrier[k]);
        } else {
          carriers[i].insert(carriers[i].end(), carriers[k].begin(), carriers[k].end());
        }
      }
      std::sort(carriers[i].begin(), carriers[i].end());
      carriers[i].erase(std::unique(carriers[i].begin(), carriers[i].end()), carriers[i].end());
      if (carrier[i] == UINT32_MAX) continue;
      for (const uint32_t c : carriers[i]) edge(c, carrier[i], 1);
    }
  }

  // What the machine registers need; also orders the operations of one sequence.
  void order_registers() {
    std::unordered_map<uint32_t, uint32_t> writer;
    std::unordered_map<uint32_t, std::vector<uint32_t>> readers;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      const Node& n = nodes_[k];
      for (const uint32_t v : n.uses) {
        if (const auto it = writer.find(v); it != writer.end())
          edge(it->second, k, latency(nodes_[it->second]));
        readers[v].push_back(k);
      }
      for (const uint32_t v : n.defs) {
        if (const auto it = writer.find(v); it != writer.end()) edge(it->second, k, 1);
        for (const uint32_t r : readers[v]) edge(r, k, 1);
        readers[v].clear();
        writer[v] = k;
      }
      if (n.begins) {
        for (uint32_t j = k + 1; j < nodes_.size(); ++j) edge(k, j, 1);
      }
      if (n.ends) {
        for (uint32_t j = 0; j < k; ++j) edge(j, k, 1);
      }
    }
  }

  void weigh() {
    height_.assign(nodes_.size(), 0);
    for (uint32_t k = static_cast<uint32_t>(nodes_.size()); k-- > 0;) {
      for (const auto& [to, lat] : after_[k]) height_[k] = std::max(height_[k], height_[to] + lat);
    }
  }

  uint32_t words(uint32_t v) const { return g_.registers[v].uniform ? 0 : g_.registers[v].words; }

  void count_uses() {
    remaining_.clear();
    for (const Node& n : nodes_) {
      for (const uint32_t v : n.uses) ++remaining_[v];
    }
    live_.clear();
    pressure_ = 0;
    for (const auto& [v, count] : remaining_) {
      if (defined_here(v)) continue;
      live_[v] = true;
      pressure_ += words(v);
    }
  }
  bool defined_here(uint32_t v) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& n) {
      return std::find(n.defs.begin(), n.defs.end(), v) != n.defs.end() &&
             std::find(n.uses.begin(), n.uses.end(), v) == n.uses.end();
    });
  }

  int delta(const Node& n) {
    int change = 0;
    for (const uint32_t v : n.defs) change += live_[v] ? 0 : static_cast<int>(words(v));
    for (const uint32_t v : n.uses) {
      if (remaining_[v] == 1 && !live_out_.has(v)) change -= static_cast<int>(words(v));
    }
    return change;
  }
  void account(const Node& n) {
    for (const uint32_t v : n.defs) {
      if (!live_[v]) pressure_ += words(v);
      live_[v] = true;
    }
    for (const uint32_t v : n.uses) {
      if (--remaining_[v] == 0 && !live_out_.has(v) && live_[v]) {
        live_[v] = false;
        pressure_ -= std::min(pressure_, words(v));
      }
    }
  }

  uint32_t pressure_in_source_order() {
    count_uses();
    uint32_t most = pressure_;
    for (const Node& n : nodes_) {
      account(n);
      most = std::max(most, pressure_);
    }
    return most;
  }

  void place() {
    count_uses();
    std::vector<uint32_t> ready_at(nodes_.size(), 0), ready;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (waiting_[k] == 0) ready.push_back(k);
    }
    std::vector<Node> out;
    out.reserve(nodes_.size());
    uint32_t now = 0;
    while (!ready.empty()) {
      const size_t pick = choose(ready, ready_at, now);
      const uint32_t k = ready[pick];
      ready.erase(ready.begin() + static_cast<ptrdiff_t>(pick));
      now = std::max(now, ready_at[k]);
      account(nodes_[k]);
      for (const auto& [to, lat] : after_[k]) {
        ready_at[to] = std::max(ready_at[to], now + lat);
        if (--waiting_[to] == 0) ready.push_back(to);
      }
      out.push_back(nodes_[k]);
      ++now;
    }
    nodes_ = std::move(out);
  }

  size_t choose(const std::vector<uint32_t>& ready, const std::vector<uint32_t>& ready_at, uint32_t now) {
    const bool tight = pressure_ >= limit_;
    size_t best = 0;
    const auto better = [&](uint32_t a, uint32_t b) {
      if (tight) {
        const int da = delta(nodes_[a]), db = delta(nodes_[b]);
        if ((da <= 0) != (db <= 0)) return da <= 0;
        if (da > 0 || db > 0) return da != db ? da < db : a < b;
      }
      const bool now_a = ready_at[a] <= now, now_b = ready_at[b] <= now;
      if (now_a != now_b) return now_a;
      if (!now_a && ready_at[a] != ready_at[b]) return ready_at[a] < ready_at[b];
      if (height_[a] != height_[b]) return height_[a] > height_[b];
      return a < b;
    };
    for (size_t k = 1; k < ready.size(); ++k) {
      if (better(ready[k], ready[best])) best = k;
    }
    return best;
  }

  Graph& g_;
  uint32_t b_;
  std::vector<Node>& nodes_;
  const RowSet& live_out_;
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> after_;  // (node, latency)
  std::vector<uint32_t> waiting_, height_;
  std::unordered_map<uint32_t, uint32_t> remaining_;
  std::unordered_map<uint32_t, bool> live_;
  uint32_t pressure_ = 0, limit_ = 0;
};

}  // namespace

void schedule_operations(Graph& g) {
  const std::vector<RowSet> live_out = virtual_live_out(g);
  for (uint32_t b = 0; b < g.blocks.size(); ++b) BlockScheduler(g, b, live_out[b]).run();
}

}  // namespace gpuloom::ptx
