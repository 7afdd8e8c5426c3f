// SPDX-License-Identifier: Apache-2.0
// Stays with a warp while it can issue, until an operation of its yields. Then the oldest block's turn comes,
// of its warps that of the youngest which has not yielded. Where all that can issue have, these begin anew.
// H200 (probes/turns; probes/sm, fair): warps that never yield run in pairs, each from its branch to the
// other's, until they are done, the youngest first; those that yield take turns; blocks end in the order of
// their launch.
#include <algorithm>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class Yielding final : public Scheduler {
 public:
  Yielding(Parameters&, const SchedulerHost&) {}
  void launched(unsigned slot, uint64_t block) override {
    block_[slot] = block;
    unsigned at = 0;
    while (at < count_ && block_[order_[at]] < block) ++at;
    std::copy_backward(order_ + at, order_ + count_, order_ + count_ + 1);
    order_[at] = static_cast<uint8_t>(slot);
    ++count_;
    yielded_ &= ~(1u << slot);
  }
  void retired(unsigned slot) override {
    std::copy(std::find(order_, order_ + count_, slot) + 1, order_ + count_,
              std::find(order_, order_ + count_, slot));
    --count_;
  }
  void yielded(unsigned slot) override {
    yielded_ |= 1u << slot;
    last_ = 0;
  }
  unsigned pick(uint32_t candidates, uint64_t) override {
    if ((candidates & last_) == 0) {
      slot_ = next(candidates);
      last_ = 1u << slot_;
    }
    return slot_;
  }

 private:
  unsigned next(uint32_t candidates) {
    unsigned at = 0;
    while ((candidates >> order_[at] & 1) == 0) ++at;
    const unsigned first = order_[at];
    uint32_t begin_anew = 0;
    for (; at < count_ && block_[order_[at]] == block_[first]; ++at) {
      const uint32_t here = candidates & 1u << order_[at];
      if ((here & ~yielded_) != 0) return order_[at];
      begin_anew |= here;
    }
    yielded_ &= ~begin_anew;
    return first;
  }

  uint64_t block_[32] = {};
  uint8_t order_[33] = {};  // slots, in the order in which they go
  unsigned count_ = 0, slot_ = 0;
  uint32_t yielded_ = 0;
  uint32_t last_ = 0;  // the bit of the warp that goes on; none after a yield
};

}  // namespace

GPULOOM_POLICY(scheduler, yielding, Yielding)
