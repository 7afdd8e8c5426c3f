// SPDX-License-Identifier: Apache-2.0
// Two levels (Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011): slots form groups of four. Round
// robin among the warps of one group; the next group with a warp that can issue has its turn only when the
// whole group waits. Groups so reach long waits at different times, and one computes while another waits.
#include <bit>

#include "arch/sm/scheduler.h"

namespace gpuloom::arch {
namespace {

constexpr unsigned kGroup = 4;  // slots; 32 is a multiple of it
constexpr uint32_t kGroupBits = (1u << kGroup) - 1;

// The first bit of `bits` (not 0) at `from` or behind it, else the first of all.
unsigned next_from(uint32_t bits, unsigned from) {
  const uint32_t behind = from > 31 ? 0 : bits & (~0u << from);
  return static_cast<unsigned>(std::countr_zero(behind != 0 ? behind : bits));
}

class TwoLevel : public Scheduler {
 public:
  void launched(unsigned, uint64_t) override {}
  void retired(unsigned) override {}
  unsigned pick(uint32_t candidates, uint64_t) override {
    const uint32_t here = candidates & (kGroupBits << group_);
    if (here != 0) {
      last_ = next_from(here, last_ + 1);
    } else {
      last_ = next_from(candidates, group_ + kGroup);
      group_ = last_ / kGroup * kGroup;
    }
    return last_;
  }

 private:
  unsigned last_ = 31;
  unsigned group_ = 0;  // first slot of the group whose turn it is
};

}  // namespace

std::unique_ptr<Scheduler> make_scheduler_two_level() { return std::make_unique<TwoLevel>(); }

}  // namespace gpuloom::arch
