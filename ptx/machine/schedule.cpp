// SPDX-License-Identifier: Apache-2.0
// Which order of a block is taken. ptxas works upwards from a block's end: operations with the longest way
// from the block's begin last, as late as their results allow. Where that does not keep to the limit,
// downwards: those with the longest way to the end first.
#include "ptx/machine/schedule.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "ptx/machine/list_scheduler.h"
#include "ptx/passes/loop_nest.h"

namespace gpuloom::ptx {

namespace {

constexpr uint32_t kMostKept = 12;
constexpr uint32_t kMostLess = 8;      // registers that an order upwards may be asked to stay below the limit
constexpr uint32_t kMostLessDeep = 2;  // the same of one that hardly depends on it
// Attempts in a row that bring nothing, before more are given up: two, and more where blocks are short.
constexpr size_t kFewInVain = 2, kOperationsInVain = 16000;

// Orders that are kept for limits that come again: all that one limit makes, and the next lower one again.
constexpr size_t kRemembered = 16;

using Shared = std::shared_ptr<const Order>;

class BlockScheduler {
 public:
  BlockScheduler(const Graph& g, uint32_t b, const std::vector<Node>& nodes, const VirtualLiveness& live,
                 ReadyQueue& queue, bool thrifty)
      : list_(g, b, nodes, live, queue),
        thrifty_(thrifty),
        most_in_vain_(std::max(kFewInVain, kOperationsInVain / nodes.size())) {}

  // ptxas works upwards from a block's end (SASS of bank_random, spmv_csr, matmul_naive: what the last
  // operations need is loaded in front of them, and no sooner unless registers run out). Where that does not
  // keep to `limit` registers: upwards with the source order where registers run out (lbm_d3q19: 91 instead
  // of 120; where that does not do either, with one that finishes a result before it begins the next), or the
  // shortest order downwards that does, of those that leave 0, 2, 4, ... of them to arithmetic, whichever is
  // shorter; where there is none, the one that takes the fewest.
  // An order that has more predicates alive than there are is looked for once more, with them in mind.
  Shared run(uint32_t limit) {
    mind(Predicates::kMany);
    const Shared best = best_order(limit);
    if (best->predicates <= kPredicateRegisters) return best;
    mind(Predicates::kSeven);
    Shared seven = best_order(limit);
    if (seven->peak <= limit) return seven;
    mind(Predicates::kAsRegisters);
    Shared counted = best_order(limit);
    return counted->peak < seven->peak ? counted : seven;
  }

  uint32_t least() { return list_.least(); }

  uint32_t length(const std::vector<uint32_t>& nodes) const { return list_.length(nodes); }

 private:
  void mind(Predicates predicates) {
    list_.mind(predicates);
    known_ = &kept_[static_cast<size_t>(predicates)];
  }

  Shared best_order(uint32_t limit) {
    Shared up = run_upwards(limit, Stuck::kLeast);
    if (up->peak <= limit) return up;
    Shared down = run_downwards(limit);
    up = run_upwards(limit, Stuck::kSource);
    if (up->peak <= limit)
      return down->peak > limit || list_.length(up->nodes) < list_.length(down->nodes) ? up : down;
    if (down->peak <= limit) return down;
    up = run_upwards(limit, Stuck::kDeep);
    if (up->peak <= limit || !thrifty_) return up->peak < down->peak ? up : down;
    Shared thrifty = run_upwards(limit, Stuck::kThrifty);
    if (thrifty->peak > limit) thrifty = std::make_shared<const Order>(list_.thrifty(limit));
    if (thrifty->peak < up->peak) up = std::move(thrifty);
    return up->peak < down->peak ? up : down;
  }

  Shared run_upwards(uint32_t limit, Stuck stuck) {
    const uint32_t from = limit + list_.slack();
    Shared up = upwards(from, stuck, {});
    const uint32_t most = list_.slack() + (stuck >= Stuck::kDeep ? kMostLessDeep : kMostLess);
    size_t in_vain = 0;
    for (uint32_t less = 1; up->peak > limit && less <= most && less < from && in_vain < most_in_vain_;
         ++less) {
      Shared next = upwards(from - less, stuck, {up->peak});
      in_vain = next->peak < up->peak ? 0 : in_vain + 1;
      if (in_vain == 0) up = std::move(next);
    }
    return up;
  }

  Shared run_downwards(uint32_t limit) {
    uint32_t from = limit + list_.slack();
    Shared best = downwards(from, from, {});
    for (; best->peak > limit && from > limit; --from) {
      Shared next = downwards(from - 1, from - 1, no_better(*best, limit));
      if (better(*next, *best, limit)) best = std::move(next);
    }
    if (best->peak + kMostKept <= limit) return best;  // nothing was held back, and nothing would be
    const auto improves = [&](uint32_t most, uint32_t most_loads) {
      Shared next = downwards(most, most_loads, no_better(*best, limit));
      if (!better(*next, *best, limit)) return false;
      best = std::move(next);
      return true;
    };
    size_t in_vain = 0;
    for (uint32_t kept = 2; kept <= kMostKept && kept < limit && in_vain < most_in_vain_; kept += 2)
      in_vain = improves(from, from - kept) || best->peak <= limit ? 0 : in_vain + 1;
    // A greedy order may get stuck above the limit: begin to save registers earlier then.
    in_vain = 0;
    for (uint32_t less = 2; best->peak > limit && less <= 8 && less < limit && in_vain < most_in_vain_;
         less += 2)
      in_vain = improves(limit - less, limit - less) ? 0 : in_vain + 1;
    if (best->peak > limit) {
      if (source_ == nullptr) source_ = std::make_shared<Order>(list_.as_written());
      if (source_->peak < best->peak) best = source_;
    }
    return best;
  }

  static bool better(const Order& a, const Order& b, uint32_t limit) {
    if (a.peak <= limit && b.peak <= limit) return a.cycles < b.cycles;
    return a.peak < b.peak;
  }

  // What better() says no to.
  static Useless no_better(const Order& than, uint32_t limit) {
    if (than.peak > limit) return {than.peak};
    return {limit + 1, than.cycles};
  }

  Shared upwards(uint32_t limit, Stuck stuck, Useless useless) {
    std::deque<Shared>& known = known_->up[static_cast<size_t>(stuck)];
    for (const Shared& order : known) {
      if (order->limits.has(limit) && (order->complete || useless.is(*order))) return order;
    }
    return remember(known, list_.upwards(limit, stuck, useless));
  }

  Shared downwards(uint32_t limit, uint32_t load_limit, Useless useless) {
    for (const Shared& order : known_->down) {
      const bool same = order->limits.has(limit) && order->load_limits.has(load_limit);
      if (same && (order->complete || useless.is(*order))) return order;
    }
    return remember(known_->down, list_.downwards(limit, load_limit, useless));
  }

  static Shared remember(std::deque<Shared>& known, Order order) {
    if (known.size() == kRemembered) known.pop_back();
    known.push_front(std::make_shared<const Order>(std::move(order)));
    return known.front();
  }

  struct Known {
    std::deque<Shared> up[4], down;
  };
  ListScheduler list_;
  const bool thrifty_;
  const size_t most_in_vain_;
  Known kept_[3];  // by Predicates
  Known* known_ = &kept_[0];
  Shared source_;
};

}  // namespace

struct Scheduler::Blocks {
  ReadyQueue queue;
  std::vector<std::vector<Node>> source;
  std::vector<std::unique_ptr<BlockScheduler>> schedulers;  // none for an empty block
  std::vector<std::vector<uint32_t>> orders;                // that the graph has now, of `source`
  std::vector<double> weights;                              // by block, more in loops
};

Scheduler::Scheduler(Graph& g, bool thrifty) : g_(g), blocks_(std::make_unique<Blocks>()) {
  const VirtualLiveness live = virtual_liveness(g);
  blocks_->source = g.blocks;
  blocks_->weights = loop_weights(g.flow);
  for (uint32_t b = 0; b < g.blocks.size(); ++b) {
    const std::vector<Node>& nodes = blocks_->source[b];
    blocks_->schedulers.push_back(
        nodes.empty() ? nullptr
                      : std::make_unique<BlockScheduler>(g, b, nodes, live, blocks_->queue, thrifty));
    std::vector<uint32_t>& order = blocks_->orders.emplace_back(nodes.size());
    std::iota(order.begin(), order.end(), 0u);
  }
}

Scheduler::~Scheduler() = default;

const std::vector<uint32_t>& Scheduler::order_of(uint32_t block) const { return blocks_->orders[block]; }

uint32_t Scheduler::least() const {
  uint32_t least = 0;
  for (const auto& scheduler : blocks_->schedulers)
    if (scheduler != nullptr) least = std::max(least, scheduler->least());
  return least;
}

double Scheduler::length() const {
  double sum = 0;
  for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
    if (blocks_->schedulers[b] == nullptr) continue;
    sum += blocks_->weights[b] * blocks_->schedulers[b]->length(blocks_->orders[b]);
  }
  return sum;
}

uint32_t Scheduler::run(uint32_t limit, uint32_t far_too_many) {
  const uint32_t peak = order(limit);
  // One block needs more: the others may use it too.
  return peak > limit && peak <= far_too_many ? order(peak) : peak;
}

uint32_t Scheduler::order(uint32_t limit) {
  uint32_t peak = 0;
  for (uint32_t b = 0; b < g_.blocks.size(); ++b) {
    if (blocks_->schedulers[b] == nullptr) continue;
    const Shared next = blocks_->schedulers[b]->run(limit);
    peak = std::max(peak, next->peak);
    if (next->nodes.size() != g_.blocks[b].size())
      throw Error(ErrorKind::kInternal, "the operations of a block wait for each other in a circle");
    if (next->nodes == blocks_->orders[b]) continue;
    ++orders_;
    for (size_t k = 0; k < next->nodes.size(); ++k) g_.blocks[b][k] = blocks_->source[b][next->nodes[k]];
    blocks_->orders[b] = next->nodes;
  }
  return peak;
}

}  // namespace gpuloom::ptx
