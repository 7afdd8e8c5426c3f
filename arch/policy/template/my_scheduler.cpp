// SPDX-License-Identifier: Apache-2.0
// The least that a scheduler is: round robin. Copy it, rename it, change pick().
//
//   g++ -std=c++20 -O2 -shared -fPIC -I. arch/policy/template/my_scheduler.cpp -o my_scheduler.so
//   gpuloom run launch.yaml -s sm.scheduler=./my_scheduler.so
#include <bit>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

class MyScheduler final : public Scheduler {
 public:
  // parameters.count("window", 1, 64) would read `my_scheduler: {window: 8}` beside `scheduler:`.
  MyScheduler(Parameters&, const SchedulerHost&) {}
  void launched(unsigned, uint64_t) override {}
  void retired(unsigned) override {}
  unsigned pick(uint32_t candidates, Cycle) override {
    const uint32_t after = last_ == 31 ? 0 : candidates & (~0u << (last_ + 1));
    last_ = static_cast<unsigned>(std::countr_zero(after != 0 ? after : candidates));
    return last_;
  }

 private:
  unsigned last_ = 31;
};

}  // namespace

GPULOOM_POLICY(scheduler, my_scheduler, MyScheduler)
