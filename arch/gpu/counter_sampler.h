// SPDX-License-Identifier: Apache-2.0
// Samples of the whole GPU's counters over time: for the tracks of a timeline, and for a value-change dump.
#pragma once
#include <memory>
#include <vector>

#include "arch/gpu/gpu.h"
#include "arch/systemc/vcd_trace.h"
#include "traces/timeline.h"

namespace gpuloom::arch {

class CounterSampler {
 public:
  CounterSampler(const Gpu& gpu, const traces::TraceRequest& request);
  void start(Cycle now);
  // At the end of each window: a sample, where the last is long enough ago.
  void window_ends(Cycle now);
  const std::vector<traces::CounterTrack>& tracks() const { return tracks_; }

 private:
  std::vector<uint64_t> totals() const;

  const Gpu& gpu_;
  const traces::TraceRequest& request_;
  Cycle start_ = 0, sampled_ = 0;
  std::vector<uint64_t> last_;
  std::vector<traces::CounterTrack> tracks_;
  std::unique_ptr<sim::VcdTrace> vcd_;
};

}  // namespace gpuloom::arch
