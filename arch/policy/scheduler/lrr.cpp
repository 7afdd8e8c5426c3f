// SPDX-License-Identifier: Apache-2.0
// Loose round robin: the next slot after the last one that can issue.
#include <bit>

#include "arch/sm/scheduler.h"

namespace gpuloom::arch {
namespace {

class LooseRoundRobin : public Scheduler {
 public:
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

std::unique_ptr<Scheduler> make_scheduler_lrr() { return std::make_unique<LooseRoundRobin>(); }

}  // namespace gpuloom::arch
