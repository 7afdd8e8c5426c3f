// SPDX-License-Identifier: Apache-2.0
// Future events of one SM: a wheel for the near future, a heap beyond it. Events of one cycle come out in the
// order they went in, near ones before those that were far when they were put in; no allocation once it has
// grown to its working size.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "arch/types.h"

namespace gpuloom::arch {

enum class EventKind : uint8_t {
  kRelease,        // a = warp, b = scoreboard; generation: 1 where other pipes see the result a cycle later
  kFill,           // b = line request
  kStoreDone,      // a = warp; kNoWarp: of a copy, b = sectors; generation = grid in the SM
  kWritePassed,    // b = sectors written that L2, or a link, has taken; a = kNoWarp: by a copy
  kReleased,       // b = access that waited for its release fence
  kAtomicDone,     // a = sectors, b = atomic; generation: 1 where it went to L2's other side
  kWakeWarp,       // a = warp: a time-based wait is over
  kRetryWait,      // a = warp: tries a suspended mbarrier wait again
  kRescue,         // a = warp: goes on, lanes that waited for others have been let go
  kAsyncDone,      // b = bulk copy
  kAsyncStart,     // the bulk copy unit goes on
  kCopyHere,       // b = cp.async copy: its bytes have come to the data stage
  kCopyArrived,    // b = cp.async copy: its bytes are in shared memory
  kGroupClosed,    // a = warp: a group of its copies collects no more
  kFencesDone,     // fences that wait for others get their turn
  kConstantWord,   // b = indexed load from the constant bank: the turn of its next word
  kCtaStart,       // a = block slot
  kClusterNotify,  // a = block slot: another block of the cluster changed something here
  kGridsEnded,     // a = grid in the SM: those that it depends on have ended
};

struct Event {
  EventKind kind = EventKind::kRelease;
  uint8_t generation = 0;
  uint16_t a = 0;
  uint32_t b = 0;
};

class EventQueue {
 public:
  EventQueue() { heads_.fill(kNil), tails_.fill(kNil); }

  void push(Cycle cycle, const Event& event) {
    if (cycle < base_) cycle = base_;
    if (cycle - base_ < kSlots) {
      append(static_cast<uint32_t>(cycle & (kSlots - 1)), event);
    } else {
      far_.push_back({cycle, order_++, event});
      std::push_heap(far_.begin(), far_.end(), Later{});
    }
  }

  // Earliest cycle with an event, kNever without one.
  Cycle next() const {
    Cycle cycle = kNever;
    if (near_count_ != 0) {
      const uint32_t start = static_cast<uint32_t>(base_ & (kSlots - 1));
      cycle = base_ + distance(start);
    }
    if (!far_.empty()) cycle = std::min(cycle, far_.front().cycle);
    return cycle;
  }

  // Calls fn(event) for each event up to and including cycle `now`, in order; those that it adds for the same
  // cycle are included.
  template <class Fn>
  void run(Cycle now, Fn&& fn) {
    for (Cycle cycle = next(); cycle <= now; cycle = next()) {
      base_ = cycle;
      bring_near();
      const uint32_t slot = static_cast<uint32_t>(cycle & (kSlots - 1));
      while (heads_[slot] != kNil) fn(take(slot));
    }
    base_ = now;
  }

  bool empty() const { return near_count_ == 0 && far_.empty(); }

 private:
  static constexpr uint32_t kSlots = 1024;
  static constexpr uint32_t kNil = UINT32_MAX;
  struct Node {
    Event event;
    uint32_t next;
  };
  struct Far {
    Cycle cycle;
    uint64_t order;
    Event event;
  };
  struct Later {
    bool operator()(const Far& x, const Far& y) const {
      return x.cycle != y.cycle ? x.cycle > y.cycle : x.order > y.order;
    }
  };

  // Far events that the wheel reaches now.
  void bring_near() {
    while (!far_.empty() && far_.front().cycle - base_ < kSlots) {
      std::pop_heap(far_.begin(), far_.end(), Later{});
      append(static_cast<uint32_t>(far_.back().cycle & (kSlots - 1)), far_.back().event);
      far_.pop_back();
    }
  }

  Event take(uint32_t slot) {
    const uint32_t index = heads_[slot];
    heads_[slot] = nodes_[index].next;
    if (heads_[slot] == kNil) {
      tails_[slot] = kNil;
      occupied_[slot / 64] &= ~(uint64_t{1} << (slot % 64));
    }
    nodes_[index].next = free_;
    free_ = index;
    --near_count_;
    return nodes_[index].event;
  }

  void append(uint32_t slot, const Event& event) {
    uint32_t index = free_;
    if (index == kNil) {
      index = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({event, kNil});
    } else {
      free_ = nodes_[index].next;
      nodes_[index] = {event, kNil};
    }
    if (tails_[slot] == kNil) {
      heads_[slot] = index;
      occupied_[slot / 64] |= uint64_t{1} << (slot % 64);
    } else {
      nodes_[tails_[slot]].next = index;
    }
    tails_[slot] = index;
    ++near_count_;
  }

  // Slots from `start` to the first occupied one, around the wheel.
  uint32_t distance(uint32_t start) const {
    const uint32_t words = kSlots / 64;
    uint32_t word = start / 64;
    uint64_t bits = occupied_[word] & (~uint64_t{0} << (start % 64));
    for (uint32_t i = 0; i <= words; ++i) {
      if (bits) return (word * 64 + static_cast<uint32_t>(std::countr_zero(bits)) - start) & (kSlots - 1);
      word = (word + 1) % words;
      bits = occupied_[word];
    }
    return 0;
  }

  Cycle base_ = 0;
  uint32_t near_count_ = 0, free_ = kNil;
  uint64_t order_ = 0;
  std::array<uint32_t, kSlots> heads_, tails_;
  std::array<uint64_t, kSlots / 64> occupied_{};
  std::vector<Node> nodes_;
  std::vector<Far> far_;
};

}  // namespace gpuloom::arch
