// SPDX-License-Identifier: Apache-2.0
// One grid after another: the first by priority, then by arrival, has all its blocks placed before the next
// one's begin, which get what it leaves over.
//
// What published experiments found on Jetson TX2 to Ampere: Amert, Otterness, Yang, Anderson, Smith, "GPU
// Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017 (only the blocks at the head of a queue
// are handed out, and none while a queue of higher priority has some); Gilman, Walls, "Characterizing
// Concurrency Mechanisms for NVIDIA GPUs under Deep Learning Workloads", 2021. Estimated for Hopper: the
// same.
#include <tuple>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Leftover final : public GridOrder {
 public:
  Leftover(Parameters&, const GridHost&) {}
  uint32_t next(const GridPlace* grids, uint32_t count) override {
    const GridPlace* first = grids;
    for (const GridPlace* g = grids; g != grids + count; ++g)
      if (std::tie(g->priority, g->arrival) < std::tie(first->priority, first->arrival)) first = g;
    return first->fits ? static_cast<uint32_t>(first - grids) : kNone;
  }
};

}  // namespace

GPULOOM_POLICY(grid_order, leftover, Leftover)
