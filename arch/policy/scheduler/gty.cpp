// SPDX-License-Identifier: Apache-2.0
// Greedy, then youngest: stays with a warp while it can issue, else takes the youngest that can (Huerta et
// al., MICRO 2025, measured on Turing to Blackwell).
#include "arch/policy/age_order.h"
#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class GreedyThenYoungest final : public Scheduler {
 public:
  GreedyThenYoungest(Parameters&, const SchedulerHost&) {}
  void launched(unsigned slot, uint64_t) override { age_.launched(slot); }
  void retired(unsigned slot) override { age_.retired(slot); }
  unsigned pick(uint32_t candidates, uint64_t) override {
    if (!(candidates >> last_ & 1)) last_ = age_.youngest(candidates);
    return last_;
  }

 private:
  AgeOrder age_;
  unsigned last_ = 0;
};

}  // namespace

GPULOOM_POLICY(scheduler, gty, GreedyThenYoungest)
