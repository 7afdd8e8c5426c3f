// SPDX-License-Identifier: Apache-2.0
// List scheduling within a block under a limit of registers (Gibbons & Muchnick, PLDI 1986), upwards from the
// block's end as ptxas does: operations with the longest way from the block's begin last, as late as their
// results allow. Where that does not keep to the limit, downwards: those with the longest way to the end
// first.
#include "ptx/machine/schedule.h"

#include <algorithm>
#include <climits>
#include <numeric>

#include "ptx/machine/block_edges.h"
#include "ptx/machine/pressure.h"

namespace gpuloom::ptx {

namespace {

// An order of a block and the most registers that live in it.
struct Order {
  std::vector<uint32_t> nodes;
  uint32_t peak = 0;
  uint32_t cycles = 0;  // of one warp, if loads take what they take at least
};

constexpr uint32_t kMostKept = 12;
constexpr uint32_t kMostLess = 8;  // registers that an order upwards may be asked to stay below the limit

// Times the least latency that loads of global memory are taken to have upwards. Estimated: 4 to 20 give the
// same registers on 305 kernels; with 1 loads fall between the sums that wait for them (one_warp_sum +50 %).
constexpr uint32_t kFarLoad = 10;

// Cycles from a shuffle to what comes behind it, upwards. Estimated: with 2 the end of a loop is computed
// behind the first of eight shuffles, as ptxas has it (SASS of rate_shfl), with 1 in front of them all.
constexpr uint32_t kShuffleInterval = 2;

// What comes next upwards where nothing keeps to the limit.
enum class Stuck : uint8_t {
  kLeast,   // what adds least
  kSource,  // the source order goes on from its end: what has been begun is finished before more is begun
};

class BlockScheduler {
 public:
  BlockScheduler(const Graph& g, uint32_t b, const std::vector<Node>& nodes, const VirtualLiveness& live)
      : nodes_(nodes), edges_(block_edges(g, b)), pressure_(g, nodes_, live.in[b], live.out[b]) {
    height_.assign(nodes_.size(), 0);
    for (const Node& n : nodes_)
      alu_interval_.push_back(n.uniform ? 0 : g.model->latency[static_cast<size_t>(n.op)].alu_interval);
    for (uint32_t k = static_cast<uint32_t>(nodes_.size()); k-- > 0;) {
      for (const auto& [to, lat] : edges_.after[k]) height_[k] = std::max(height_[k], height_[to] + lat);
    }
    find_depths();
  }

  // ptxas works upwards from a block's end (SASS of bank_random, spmv_csr, matmul_naive: what the last
  // operations need is loaded in front of them, and no sooner unless registers run out). Where that does not
  // keep to `limit` registers: upwards with the source order where registers run out (lbm_d3q19: 91 instead
  // of 120), or the shortest order downwards that does, of those that leave 0, 2, 4, ... of them to
  // arithmetic, whichever is shorter; where there is none, the one that takes the fewest.
  Order run(uint32_t limit) {
    Order up = run_upwards(limit, Stuck::kLeast);
    if (up.peak <= limit) return up;
    Order down = run_downwards(limit);
    up = run_upwards(limit, Stuck::kSource);
    if (up.peak > limit) return down;
    return down.peak > limit || length(up) < length(down) ? up : down;
  }

 private:
  Order run_upwards(uint32_t limit, Stuck stuck) {
    Order up = place_upwards(limit, stuck);
    for (uint32_t less = 1; up.peak > limit && less <= kMostLess && less < limit; ++less) {
      Order next = place_upwards(limit - less, stuck);
      if (next.peak < up.peak) up = std::move(next);
    }
    return up;
  }

  // Cycles of a warp, with loads that take as long as upwards.
  uint32_t length(const Order& order) const {
    std::vector<uint32_t> at(nodes_.size(), 0);
    uint32_t now = 0;
    for (const uint32_t k : order.nodes) {
      for (const auto& [above, lat] : before_[k]) now = std::max(now, at[above] + lat);
      at[k] = now++;
    }
    return now;
  }

  Order run_downwards(uint32_t limit) {
    Order best = place(limit, limit);
    if (best.peak + kMostKept <= limit) return best;  // nothing was held back, and nothing would be
    for (uint32_t kept = 2; kept <= kMostKept && kept < limit; kept += 2) {
      Order next = place(limit, limit - kept);
      if (better(next, best, limit)) best = std::move(next);
    }
    // A greedy order may get stuck above the limit: begin to save registers earlier then.
    for (uint32_t less = 2; best.peak > limit && less <= 8 && less < limit; less += 2) {
      Order next = place(limit - less, limit - less);
      if (better(next, best, limit)) best = std::move(next);
    }
    if (best.peak > limit) {
      Order source = as_written();
      if (source.peak < best.peak) best = std::move(source);
    }
    return best;
  }

  // Upwards from the end a barrier has everything in front of it that is written so, and the result of a far
  // load is asked for early.
  void find_depths() {
    const auto count = static_cast<uint32_t>(nodes_.size());
    before_.resize(count);
    below_.resize(count);
    for (uint32_t k = 0; k < count; ++k) {
      const bool far = nodes_[k].loads && (nodes_[k].op == OpClass::ldg || nodes_[k].op == OpClass::ldgen);
      for (const auto& [to, lat] : edges_.after[k])
        before_[to].push_back({k, lat > 1 && far ? lat * kFarLoad : lat});
      below_[k] = static_cast<uint32_t>(edges_.after[k].size());
    }
    uint32_t from = 0;
    for (uint32_t barrier = 0; barrier < count; ++barrier) {
      if (nodes_[barrier].op != OpClass::bar) continue;
      for (; from < barrier; ++from) {
        before_[barrier].push_back({from, 1});
        ++below_[from];
      }
    }
    depth_.assign(count, 0);
    for (uint32_t k = 0; k < count; ++k) {
      for (const auto& [above, lat] : before_[k]) depth_[k] = std::max(depth_[k], depth_[above] + lat);
    }
  }

  static bool better(const Order& a, const Order& b, uint32_t limit) {
    if (a.peak <= limit && b.peak <= limit) return a.cycles < b.cycles;
    return a.peak < b.peak;
  }

  Order as_written() {
    pressure_.restart();
    Order order;
    order.peak = pressure_.now();
    for (uint32_t k = 0; k < nodes_.size(); ++k) issue(k, order);
    return order;
  }

  void issue(uint32_t k, Order& order) {
    pressure_.issue(k);
    order.peak = std::max(order.peak, pressure_.now() + static_cast<uint32_t>(nodes_[k].scratch.size()));
    order.nodes.push_back(k);
  }

  Order place(uint32_t limit, uint32_t load_limit) {
    pressure_.restart();
    Order order;
    order.peak = pressure_.now();
    std::vector<uint32_t> ready_at(nodes_.size(), 0), ready, waiting = edges_.waiting;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      if (waiting[k] == 0) ready.push_back(k);
    }
    uint32_t now = 0, alu_free = 0;
    while (!ready.empty()) {
      const size_t pick = choose(ready, ready_at, now, alu_free > now, limit, load_limit);
      const uint32_t k = ready[pick];
      ready.erase(ready.begin() + static_cast<ptrdiff_t>(pick));
      now = std::max({now, ready_at[k], alu_interval_[k] != 0 ? alu_free : 0});
      issue(k, order);
      if (alu_interval_[k] != 0) alu_free = now + alu_interval_[k];
      for (const auto& [to, lat] : edges_.after[k]) {
        ready_at[to] = std::max(ready_at[to], now + lat);
        if (--waiting[to] == 0) ready.push_back(to);
      }
      ++now;
    }
    order.cycles = now;
    return order;
  }

  // From the block's end upwards: what has the longest way from the block's begin comes last, as late as its
  // result allows; where the limit is reached, what ends more lives than it begins goes in front.
  Order place_upwards(uint32_t limit, Stuck stuck) {
    pressure_.restart_at_end();
    Order order;
    order.peak = pressure_.now();
    std::vector<uint32_t> ready_at(nodes_.size(), 0), ready, waiting(nodes_.size(), 0);
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      waiting[k] = below_[k];
      if (waiting[k] == 0) ready.push_back(k);
    }
    uint32_t now = 0, alu_free = 0;
    while (!ready.empty()) {
      const size_t pick = choose_above(ready, ready_at, now, alu_free > now, limit, stuck);
      const uint32_t k = ready[pick];
      ready.erase(ready.begin() + static_cast<ptrdiff_t>(pick));
      now = std::max({now, ready_at[k], alu_interval_[k] != 0 ? alu_free : 0});
      if (alu_interval_[k] != 0) alu_free = now + alu_interval_[k];
      order.peak = std::max(order.peak, pressure_.now() + static_cast<uint32_t>(nodes_[k].scratch.size()));
      pressure_.place_above(k);
      order.peak = std::max(order.peak, pressure_.now());
      order.nodes.push_back(k);
      if (nodes_[k].op == OpClass::shfl) now += kShuffleInterval - 1;
      for (const auto& [from, lat] : before_[k]) {
        ready_at[from] = std::max(ready_at[from], now + lat);
        if (--waiting[from] == 0) ready.push_back(from);
      }
      ++now;
    }
    order.cycles = now;
    std::reverse(order.nodes.begin(), order.nodes.end());
    return order;
  }

  size_t choose_above(const std::vector<uint32_t>& ready, const std::vector<uint32_t>& ready_at, uint32_t now,
                      bool alu_busy, uint32_t limit, Stuck stuck) const {
    const auto urgent = [&](uint32_t a, uint32_t b) {
      const bool now_a = ready_at[a] <= now, now_b = ready_at[b] <= now;
      if (now_a != now_b) return now_a;
      if (!now_a && ready_at[a] != ready_at[b]) return ready_at[a] < ready_at[b];
      if (depth_[a] != depth_[b]) return depth_[a] > depth_[b];
      return a > b;
    };
    constexpr size_t kNone = SIZE_MAX;
    size_t best = kNone, other = kNone, next = 0;
    int least = INT_MAX;
    for (size_t k = 0; k < ready.size(); ++k) {
      const int change = pressure_.change_above(ready[k]);
      const bool less = change < least || (change == least && urgent(ready[k], ready[next]));
      if (stuck == Stuck::kLeast ? less : ready[k] > ready[next]) {
        next = k;
        least = change;
      }
      if (change > 0 && static_cast<int>(pressure_.now()) + change > static_cast<int>(limit)) continue;
      if (best == kNone || urgent(ready[k], ready[best])) best = k;
      if (alu_interval_[ready[k]] != 0 || nodes_[ready[k]].loads || ready_at[ready[k]] > now) continue;
      if (other == kNone || urgent(ready[k], ready[other])) other = k;
    }
    // Between operations of the ALU others come, as downwards.
    if (alu_busy && other != kNone && best != kNone && alu_interval_[ready[best]] != 0) return other;
    return best != kNone ? best : next;
  }

  // The most urgent operation where it keeps to the limit. Otherwise the most urgent one that does and does
  // not load: a less urgent load must not take the room that the urgent one waits for. Otherwise what comes
  // first in source order, of those that keep to the limit where there are any.
  size_t choose(const std::vector<uint32_t>& ready, const std::vector<uint32_t>& ready_at, uint32_t now,
                bool alu_busy, uint32_t limit, uint32_t load_limit) {
    const auto urgent = [&](uint32_t a, uint32_t b) {
      const bool now_a = ready_at[a] <= now, now_b = ready_at[b] <= now;
      if (now_a != now_b) return now_a;
      if (!now_a && ready_at[a] != ready_at[b]) return ready_at[a] < ready_at[b];
      if (height_[a] != height_[b]) return height_[a] > height_[b];
      return a < b;
    };
    constexpr size_t kNone = SIZE_MAX;
    size_t best = 0, next = kNone, fitting = kNone, first = 0;
    const auto fits = [&](uint32_t k) {
      const int change = pressure_.change(k);
      const uint32_t most = nodes_[k].loads ? load_limit : limit;
      return change <= 0 || static_cast<int>(pressure_.now()) + change <= static_cast<int>(most);
    };
    for (size_t k = 1; k < ready.size(); ++k) {
      if (urgent(ready[k], ready[best])) best = k;
    }
    if (alu_busy && alu_interval_[ready[best]] != 0) {
      // The ALU takes an operation every second cycle: others come in between (SASS of rate_mix: FFMA, LEA,
      // FFMA, LEA where both are ready), but no load, for the registers' sake.
      size_t other = kNone;
      for (size_t k = 0; k < ready.size(); ++k) {
        if (alu_interval_[ready[k]] != 0 || nodes_[ready[k]].loads || ready_at[ready[k]] > now) continue;
        if (other == kNone || urgent(ready[k], ready[other])) other = k;
      }
      if (other != kNone) best = other;
    }
    best = not_a_filler(ready, best, ready_at);
    if (fits(ready[best])) return best;
    for (size_t k = 0; k < ready.size(); ++k) {
      if (ready[k] < ready[first]) first = k;
      if (!fits(ready[k])) continue;
      if (fitting == kNone || ready[k] < ready[fitting]) fitting = k;
      if (nodes_[ready[k]].loads && pressure_.change(ready[k]) > 0) continue;
      if (next == kNone || urgent(ready[k], ready[next])) next = k;
    }
    return next != kNone ? next : fitting != kNone ? fitting : first;
  }

  // A barrier does not fill the time in which work that is as urgent waits for its operands (SASS of rate_*):
  // then the one that is ready first is next.
  size_t not_a_filler(const std::vector<uint32_t>& ready, size_t best,
                      const std::vector<uint32_t>& ready_at) const {
    const uint32_t barrier = ready[best];
    if (nodes_[barrier].op != OpClass::bar) return best;
    for (size_t k = 0; k < ready.size(); ++k) {
      if (height_[ready[k]] < height_[barrier] || ready[k] == barrier) continue;
      if (ready[best] == barrier || ready_at[ready[k]] < ready_at[ready[best]]) best = k;
    }
    return best;
  }

  const std::vector<Node>& nodes_;
  BlockEdges edges_;
  Pressure pressure_;
  std::vector<uint32_t> height_;                                    // cycles to the block's end
  std::vector<uint32_t> below_;                                     // operations that must come later
  std::vector<uint32_t> depth_;                                     // cycles from its begin
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> before_;  // edges_.after, turned round
  std::vector<uint16_t> alu_interval_;                              // of those that run on the ALU
};

}  // namespace

struct Scheduler::Blocks {
  std::vector<std::vector<Node>> source;
  std::vector<std::unique_ptr<BlockScheduler>> schedulers;  // none for an empty block
  std::vector<std::vector<uint32_t>> orders;                // that the graph has now, of `source`
};

Scheduler::Scheduler(Graph& g) : g_(g), blocks_(std::make_unique<Blocks>()) {
  const VirtualLiveness live = virtual_liveness(g);
  blocks_->source = g.blocks;
  for (uint32_t b = 0; b < g.blocks.size(); ++b) {
    const std::vector<Node>& nodes = blocks_->source[b];
    blocks_->schedulers.push_back(nodes.empty() ? nullptr
                                                : std::make_unique<BlockScheduler>(g, b, nodes, live));
    std::vector<uint32_t>& order = blocks_->orders.emplace_back(nodes.size());
    std::iota(order.begin(), order.end(), 0u);
  }
}

Scheduler::~Scheduler() = default;

uint32_t Scheduler::run(uint32_t limit) {
  changed_ = false;
  const uint32_t peak = order(limit);
  // One block needs more: the others may use it too.
  return peak > limit ? order(peak) : peak;
}

uint32_t Scheduler::order(uint32_t limit) {
  uint32_t peak = 0;
  for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
    if (blocks_->schedulers[b] == nullptr) continue;
    Order next = blocks_->schedulers[b]->run(limit);
    peak = std::max(peak, next.peak);
    if (next.nodes == blocks_->orders[b]) continue;
    changed_ = true;
    for (size_t k = 0; k < next.nodes.size(); ++k) g_.blocks[b][k] = blocks_->source[b][next.nodes[k]];
    blocks_->orders[b] = std::move(next.nodes);
  }
  return peak;
}

}  // namespace gpuloom::ptx
