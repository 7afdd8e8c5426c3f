// SPDX-License-Identifier: Apache-2.0
// Loose round robin: the next slot after the last one that can issue.
#include <bit>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class LooseRoundRobin final : public Scheduler {
 public:
  LooseRoundRobin(Parameters&, const SchedulerHost&) {}
  void launched(unsigned, uint64_t) override {}
  void retired(unsigned) override {}
  unsigned pick(uint32_t candidates, uint64_t) override {
    const uint32_t after = last_ == 31 ? 0 : candidates & (~0u << (last_ + 1));
    last_ = static_cast<unsigned>(std::countr_zero(after ? after : candidates));
    return last_;
  }

 private:
  unsigned last_ = 31;
};

}  // namespace

GPULOOM_POLICY(scheduler, lrr, LooseRoundRobin)
