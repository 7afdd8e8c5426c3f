// SPDX-License-Identifier: Apache-2.0
// Counters of all SMs, L2 slices and memory channels over time, where they were asked for.
#pragma once
#include <memory>

#include "arch/gpu/gpu.h"
#include "base/stats/intervals.h"

namespace gpuloom::arch {

class IntervalRecorder {
 public:
  IntervalRecorder(Gpu& gpu, uint64_t cycles_each);
  void start(Cycle now);
  // SMs are where the launch ends, their accounts not yet settled; and are settled.
  void pass(Cycle end);
  void close(Cycle end);
  // Of the launch that has ended.
  std::shared_ptr<stats::Intervals> take(const std::string& kernel, uint64_t cycles);

 private:
  Gpu& gpu_;
  uint64_t asked_;
};

}  // namespace gpuloom::arch
