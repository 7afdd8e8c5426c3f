// SPDX-License-Identifier: Apache-2.0
// Oldest block first: stays with the warp that issued in the cycle before while it can issue, else takes a
// warp of the oldest block that has one; of its warps the one whose turn was longest ago, of those that had
// none the youngest. What `yielding` does where every operation yields.
#include <bit>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class OldestBlock final : public Scheduler {
 public:
  OldestBlock(Parameters&, const SchedulerHost&) {}
  void launched(unsigned slot, uint64_t block) override { warps_[slot] = {block, 0, ++launches_}; }
  void retired(unsigned) override {}
  unsigned pick(uint32_t candidates, uint64_t now) override {
    const bool goes_on = (candidates >> last_ & 1) != 0 && warps_[last_].turn + 1 == now;
    if (!goes_on) {
      last_ = static_cast<unsigned>(std::countr_zero(candidates));
      for (uint32_t m = candidates & (candidates - 1); m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(m));
        if (before(warps_[slot], warps_[last_])) last_ = slot;
      }
    }
    warps_[last_].turn = now;
    return last_;
  }

 private:
  struct Warp {
    uint64_t block = 0;
    uint64_t turn = 0;  // cycle of its last issue
    uint64_t age = 0;   // launches before it
  };

  static bool before(const Warp& a, const Warp& b) {
    if (a.block != b.block) return a.block < b.block;
    return a.turn != b.turn ? a.turn < b.turn : a.age > b.age;
  }

  Warp warps_[32];
  uint64_t launches_ = 0;
  unsigned last_ = 0;
};

}  // namespace

GPULOOM_POLICY(scheduler, oldest_block, OldestBlock)
