// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/interval_sampler.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpuloom::arch {

IntervalSampler::IntervalSampler(const std::vector<const stats::Group*>& groups, UnsettledFn unsettled,
                                 uint64_t cycles_each)
    : unsettled_(std::move(unsettled)),
      log_(groups, cycles_each),
      sub_core_active_(log_.index_of("smsp__cycles_active")),
      sub_core_warps_(log_.index_of("smsp__warps_active")),
      sm_active_(log_.index_of("sm__cycles_active")),
      sm_warps_(log_.index_of("sm__warps_active")),
      ahead_(log_.counters()) {
  for (size_t i = 0; i < kStallReasons; ++i)
    stalls_[i] = log_.index_of(std::string("smsp__warps_issue_stalled_") + kStallNames[i]);
}

void IntervalSampler::start(Cycle now) {
  log_.start(now);
  next_ = now + log_.cycles_each();
}

// What was counted in the cycles before `end`.
void IntervalSampler::add(Cycle end) {
  Unsettled u;
  unsettled_(end, u);
  std::fill(ahead_.begin(), ahead_.end(), 0);
  for (size_t i = 0; i < kStallReasons; ++i) ahead_[stalls_[i]] = u.stalls[i];
  ahead_[sub_core_active_] = u.sub_core_active;
  ahead_[sub_core_warps_] = u.sub_core_warps;
  ahead_[sm_active_] = u.sm_active;
  ahead_[sm_warps_] = u.sm_warps;
  log_.add(end - 1, ahead_.data());
}

Cycle IntervalSampler::pass(Cycle now) {
  while (next_ <= now) {
    add(next_);
    // Where add() has joined intervals, this boundary may lie within one.
    const Cycle each = log_.cycles_each(), begin = log_.begin();
    next_ = begin + ((next_ - begin) / each + 1) * each;
  }
  return next_;
}

void IntervalSampler::close(Cycle end) { log_.add(std::max(end, log_.begin() + 1) - 1); }

}  // namespace gpuloom::arch
