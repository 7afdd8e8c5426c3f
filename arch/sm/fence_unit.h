// SPDX-License-Identifier: Apache-2.0
// Fences beyond the block: they and the invalidations behind them take turns at one unit of the SM, and those
// of warps whose writes are on their way go together or one after another (H200: probes/fences).
#pragma once
#include <cstdint>
#include <vector>

#include "arch/sm/config.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/warp_writes.h"
#include "arch/types.h"
#include "ptx/exec/access.h"

namespace gpuloom::arch {

class FenceUnit {
 public:
  // `far_extra`: the way to L2's other side.
  FenceUnit(const BarrierConfig& config, uint32_t far_extra, EventQueue& events, WarpWritesTable& writes)
      : config_(config), far_extra_(far_extra), events_(events), writes_(writes), fences_(writes.size()) {}
  void start_alone() { asked_at_ = 0; }

  // The turn of a fence or an invalidation.
  Cycle turn(Cycle now) {
    const Cycle at = now > free_ ? now : free_;
    free_ = at + config_.fence_interval;
    return at;
  }

  // A fence that takes until `earliest` whatever is on its way. Returns when it ends; kNever: it waits for
  // answers to what the warp wrote, or for other warps' fences.
  Cycle begin(uint16_t warp, ptx::Scope scope, Cycle earliest, Cycle now);
  // Of a warp that waits so: all that it wrote has been answered. Returns when its fence ends; kNever: it
  // waits for other warps'.
  Cycle answered(uint16_t warp, Cycle now);
  // Event: the last of those under way is done. Those that have waited begin; tells ended(warp, at) of each
  // that waits for no answer.
  template <class Ended>
  void go_on(Cycle now, Ended&& ended) {
    next_.swap(waiting_);
    together_ = unanswered_ = static_cast<uint32_t>(next_.size());
    for (const uint16_t warp : next_)
      if (const Cycle at = begin_waiting(warp, now); at != kNever) ended(warp, at);
    next_.clear();
  }

 private:
  struct Fence {
    Cycle until = 0;
    uint32_t time = 0;  // after the last answer that it waits for
    ptx::Scope scope = ptx::Scope::kNone;
    bool waits = false;  // for other warps' fences
  };
  bool joins(uint16_t warp, Cycle now);
  void round_trip(uint16_t warp, Cycle now);
  Cycle begin_waiting(uint16_t warp, Cycle now);
  void ends(Cycle at);
  Cycle ask_slices(Cycle now);

  const BarrierConfig& config_;
  uint32_t far_extra_;
  EventQueue& events_;
  WarpWritesTable& writes_;
  std::vector<Fence> fences_;  // by warp
  Cycle free_ = 0, end_ = 0;
  Cycle asked_at_ = 0;                      // when the latest fence that asks all slices begins
  uint32_t together_ = 0, unanswered_ = 0;  // those under way; of these, whose writes are
  std::vector<uint16_t> waiting_, next_;
};

}  // namespace gpuloom::arch
