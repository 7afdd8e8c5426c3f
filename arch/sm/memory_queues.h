// SPDX-License-Identifier: Apache-2.0
// The sub-cores' memory queues, their address units, and the queue in front of the L1's tags. Sub-cores put
// in, the load/store unit takes out.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/sm/memory_op.h"

namespace gpuloom::arch {

class MemoryQueues {
 public:
  explicit MemoryQueues(const SmConfig& config);

  // --- For sub-cores
  bool full(unsigned sub_core) const { return queues_[sub_core].full(); }
  // A free place at the end of the queue; the caller fills it and calls commit.
  MemoryOp& reserve(unsigned sub_core);
  void commit(unsigned sub_core, Cycle now);
  // When the address unit of a sub-core can be through with what it has been given.
  Cycle drained(unsigned sub_core, Cycle now) const {
    const Queue& q = queues_[sub_core];
    return std::max(now, q.address_free) + Cycle{q.count} * config_.memory.address_interval;
  }
  // A fence keeps what comes behind it in its sub-core's queue for so long.
  void hold(unsigned sub_core, Cycle until) {
    Queue& q = queues_[sub_core];
    q.address_free =
        std::max(q.address_free, until - std::min(until, Cycle{q.count} * config_.memory.address_interval));
  }
  // When what a warp has asked of shared memory will be through, if no other is in its way.
  Cycle passes_due(unsigned warp) const { return passes_due_[warp]; }

  // --- For the load/store unit
  // Earliest cycle in which a head may go on.
  Cycle next() const { return next_; }
  bool empty() const;
  bool input_full() const { return input_.full(); }
  // What stands in front of the tags; null: nothing.
  MemoryOp* input() { return input_.count == 0 ? nullptr : &ops_[input_.front()]; }
  void pop_input() { free_ops_.push_back(input_.pop()); }
  // The first access to the SM's shared memory that stands there; null: none.
  MemoryOp* first_shared();
  void pop_shared() { free_ops_.push_back(input_.take(shared_at_)); }
  // One sub-core's head goes on: to the L1's input, of which to_l1(op) hears, or to a unit of its own by
  // past_l1(op); then freed(sub_core). True: one waits for the input.
  template <class PastL1, class ToL1, class Freed>
  bool arbitrate(Cycle now, PastL1&& past_l1, ToL1&& to_l1, Freed&& freed);

 private:
  static constexpr uint32_t kNil = UINT32_MAX;
  // Instructions in order, by their number in ops_.
  struct Queue {
    std::vector<uint32_t> ring;
    uint32_t head = 0, count = 0;
    Cycle address_free = 0;
    uint32_t front() const { return ring[head]; }
    bool full() const { return count == ring.size(); }
    void push(uint32_t op) { ring[(head + count++) % ring.size()] = op; }
    uint32_t& at(uint32_t place) { return ring[(head + place) % ring.size()]; }
    // What stands behind it moves up.
    uint32_t take(uint32_t place) {
      const uint32_t op = at(place);
      for (; place + 1 < count; ++place) at(place) = at(place + 1);
      --count;
      return op;
    }
    uint32_t pop() {
      const uint32_t op = ring[head];
      head = (head + 1) % static_cast<uint32_t>(ring.size());
      --count;
      return op;
    }
  };
  // Goes through the tag and data stages, in order with its like. Special registers and constants have units
  // of their own, which those stages do not hold up.
  static bool enters_l1(const MemoryOp& op) {
    return op.kind != MemoryKind::kSimple && op.kind != MemoryKind::kConstant;
  }

  const SmConfig& config_;
  std::vector<MemoryOp> ops_;  // in the queues, and one for each sub-core that is being filled
  std::vector<uint32_t> free_ops_, filling_;
  std::vector<Queue> queues_;
  Queue input_;             // in front of the tags: what the sub-cores' queues have given away
  uint32_t shared_at_ = 0;  // of first_shared(), in it
  unsigned turn_ = 0;       // sub-core that is asked first
  Cycle next_ = kNever, accept_free_ = 0;
  std::vector<Cycle> passes_due_;  // by warp: what waits in the queues for shared memory is through then
};

template <class PastL1, class ToL1, class Freed>
bool MemoryQueues::arbitrate(Cycle now, PastL1&& past_l1, ToL1&& to_l1, Freed&& freed) {
  next_ = kNever;
  const unsigned n = static_cast<unsigned>(queues_.size());
  const unsigned first = turn_;
  bool taken = false, waits = false;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned sub = (first + i) % n;
    Queue& q = queues_[sub];
    if (q.count == 0) continue;
    MemoryOp& op = ops_[q.front()];
    const Cycle ready = std::max(op.ready, q.address_free);
    if (ready > now || accept_free_ > now || taken) {
      next_ = std::min(next_, std::max({ready, accept_free_, now + 1}));
      continue;
    }
    const bool through_l1 = enters_l1(op);
    if (through_l1 && input_.full()) {
      waits = true;
      continue;
    }
    taken = true;
    q.address_free = now + config_.memory.address_interval;
    accept_free_ = now + (op.pipe == Pipe::kLsu ? std::max<Cycle>(config_.memory.issue_interval, op.interval)
                                                : config_.memory.issue_interval);
    if (through_l1) {
      to_l1(op);
      input_.push(q.pop());
    } else {
      past_l1(op);
      free_ops_.push_back(q.pop());
    }
    turn_ = (sub + 1) % n;
    if (q.count) next_ = std::min(next_, std::max({ops_[q.front()].ready, q.address_free, accept_free_}));
    freed(sub);
  }
  return waits;
}

}  // namespace gpuloom::arch
