// SPDX-License-Identifier: Apache-2.0
// One grid after another: the first by priority, then by arrival, has all its blocks placed before the next
// one's begin, which get what it leaves over.
//
// H200 (bench/silicon/probes/launches, meeting): of two grids of six waves the second begins when the last
// block of the first has its place, a small grid that would fit beside a large one waits for that as well,
// and blocks of higher priority take the first places that are free. Amert, Otterness, Yang, Anderson, Smith,
// "GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017, doi 10.1109/RTSS.2017.00017, is
// about the same on a Jetson TX2.
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
