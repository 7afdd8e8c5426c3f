// SPDX-License-Identifier: Apache-2.0
// Grids of the same priority take turns, a wave of blocks each, and one that does not fit lets the others go
// on: a grid that came later does not wait until all blocks of an earlier one have their places.
#include <tuple>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Turns final : public GridOrder {
 public:
  Turns(Parameters&, const GridHost&) {}
  // The first behind the grid that had the last turn, and then from the front again.
  uint32_t next(const GridPlace* grids, uint32_t count) override {
    const GridPlace* best = nullptr;
    const auto key = [&](const GridPlace& g) {
      return std::tuple(g.priority, g.arrival <= last_, g.arrival);
    };
    for (const GridPlace* g = grids; g != grids + count; ++g)
      if (g->fits && (best == nullptr || key(*g) < key(*best))) best = g;
    if (best == nullptr) return kNone;
    last_ = best->arrival;
    return static_cast<uint32_t>(best - grids);
  }

 private:
  uint64_t last_ = 0;
};

}  // namespace

GPULOOM_POLICY(grid_order, turns, Turns)
