// SPDX-License-Identifier: Apache-2.0
// Fences beyond the block: they and the invalidations behind them take turns at one unit of the SM, and those
// of warps whose writes are on their way go together or one after another (H200: probes/fences).
#pragma once
#include <cstdint>
#include <vector>

#include "arch/sm/config.h"
#include "arch/types.h"

namespace gpuloom::arch {

class Sm;

class FenceUnit {
 public:
  FenceUnit(Sm& sm, const BarrierConfig& config) : sm_(sm), config_(config) {}

  // The turn of a fence or an invalidation.
  Cycle turn(Cycle now) {
    const Cycle at = now > free_ ? now : free_;
    free_ = at + config_.fence_interval;
    return at;
  }

  // A fence of a warp with writes on their way. False: as many as go together are under way, and the
  // warp gets its turn when they are done.
  bool begin(uint16_t warp, Cycle now);
  // When one that has begun ends: known once its writes have been answered.
  void ends(Cycle at);
  // The last of those under way is done.
  void go_on(Cycle now);

 private:
  Sm& sm_;
  const BarrierConfig& config_;
  Cycle free_ = 0, end_ = 0;
  uint32_t together_ = 0, unanswered_ = 0;  // those under way; of these, whose writes are
  std::vector<uint16_t> waiting_, next_;
};

}  // namespace gpuloom::arch
