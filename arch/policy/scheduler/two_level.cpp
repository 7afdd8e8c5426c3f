// SPDX-License-Identifier: Apache-2.0
// Two levels (Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011): slots form groups of `group`. Round
// robin among the warps of one group; the next group with a warp that can issue has its turn only when the
// whole group waits. Groups so reach long waits at different times, and one computes while another waits.
#include <bit>

#include "arch/policy/interface.h"

namespace {

using namespace gpuloom::policy;

// The first bit of `bits` (not 0) at `from` or behind it, else the first of all.
unsigned next_from(uint32_t bits, unsigned from) {
  const uint32_t behind = from > 31 ? 0 : bits & (~0u << from);
  return static_cast<unsigned>(std::countr_zero(behind != 0 ? behind : bits));
}

class TwoLevel final : public Scheduler {
 public:
  TwoLevel(Parameters& parameters, const SchedulerHost&)
      : size_(static_cast<unsigned>(parameters.count("group", 1, 32))),
        bits_(size_ == 32 ? ~0u : (1u << size_) - 1) {}
  void launched(unsigned, uint64_t) override {}
  void retired(unsigned) override {}
  unsigned pick(uint32_t candidates, uint64_t) override {
    const uint32_t here = candidates & (bits_ << group_);
    if (here != 0) {
      last_ = next_from(here, last_ + 1);
    } else {
      last_ = next_from(candidates, group_ + size_);
      group_ = last_ / size_ * size_;
    }
    return last_;
  }

 private:
  const unsigned size_;  // slots of a group
  const uint32_t bits_;
  unsigned last_ = 31;
  unsigned group_ = 0;  // first slot of the group whose turn it is
};

}  // namespace

GPULOOM_POLICY(scheduler, two_level, TwoLevel)
