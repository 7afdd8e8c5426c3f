// SPDX-License-Identifier: Apache-2.0
// An SM's counters over time. Exists only where intervals were asked for. The SM says when its own time
// passes the end of an interval, so windows, threads and running ahead make no difference.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "arch/stall_reason.h"
#include "arch/types.h"
#include "base/stats/intervals.h"

namespace gpuloom::arch {

// What warps have done up to a cycle and counters will be told of later.
struct Unsettled {
  std::array<uint64_t, kStallReasons> stalls{};
  uint64_t sub_core_active = 0, sub_core_warps = 0;  // smsp__cycles_active, smsp__warps_active
  uint64_t sm_active = 0, sm_warps = 0;
};

class IntervalSampler {
 public:
  using UnsettledFn = std::function<void(Cycle now, Unsettled& sums)>;
  // `groups`: the counters of the SM and of its sub-cores.
  IntervalSampler(const std::vector<const stats::Group*>& groups, UnsettledFn unsettled,
                  uint64_t cycles_each);
  void start(Cycle now);
  // The SM is about to carry out `now`, and has carried out all before. Returns the end of the interval that
  // `now` lies in.
  Cycle pass(Cycle now);
  // All accounts are settled at the launch's end.
  void close(Cycle end);
  stats::IntervalLog& log() { return log_; }

 private:
  void add(Cycle end);

  UnsettledFn unsettled_;
  stats::IntervalLog log_;
  Cycle next_ = 0;
  std::array<size_t, kStallReasons> stalls_{};
  size_t sub_core_active_, sub_core_warps_, sm_active_, sm_warps_;
  std::vector<uint64_t> ahead_;
};

}  // namespace gpuloom::arch
