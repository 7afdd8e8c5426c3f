// SPDX-License-Identifier: Apache-2.0
// List scheduling within a block: operations with the longest way to the block's end first, as soon as their
// sources are there, while few enough registers live (Gibbons & Muchnick, PLDI 1986). Loads, with their long
// latencies, go up until the registers are used; what uses them goes down.
#include "ptx/machine/schedule.h"

#include <algorithm>

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
  }

  // The shortest order that keeps to `limit` registers, of those that leave 0, 2, 4, ... of them to
  // arithmetic; where there is none, the one that takes the fewest.
  Order run(uint32_t limit) {
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

 private:
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
  std::vector<uint32_t> height_;        // cycles to the block's end
  std::vector<uint16_t> alu_interval_;  // of those that run on the ALU
};

}  // namespace

struct Scheduler::Blocks {
  std::vector<std::vector<Node>> source;
  std::vector<std::unique_ptr<BlockScheduler>> schedulers;  // none for an empty block
};

Scheduler::Scheduler(Graph& g) : g_(g), blocks_(std::make_unique<Blocks>()) {
  const VirtualLiveness live = virtual_liveness(g);
  blocks_->source = g.blocks;
  for (uint32_t b = 0; b < g.blocks.size(); ++b) {
    const std::vector<Node>& nodes = blocks_->source[b];
    blocks_->schedulers.push_back(nodes.empty() ? nullptr
                                                : std::make_unique<BlockScheduler>(g, b, nodes, live));
  }
}

Scheduler::~Scheduler() = default;

uint32_t Scheduler::run(uint32_t limit) {
  const uint32_t peak = order(limit);
  // One block needs more: the others may use it too.
  return peak > limit ? order(peak) : peak;
}

uint32_t Scheduler::order(uint32_t limit) {
  uint32_t peak = 0;
  for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
    if (blocks_->schedulers[b] == nullptr) continue;
    const Order next = blocks_->schedulers[b]->run(limit);
    peak = std::max(peak, next.peak);
    for (size_t k = 0; k < next.nodes.size(); ++k) g_.blocks[b][k] = blocks_->source[b][next.nodes[k]];
  }
  return peak;
}

}  // namespace gpuloom::ptx
