// SPDX-License-Identifier: Apache-2.0
// What is recorded beside the counters of a run, where somebody asked for it: events of the SMs that a trace
// names, the GPU's counters over time.
#pragma once
#include <memory>

#include "arch/gpu/counter_sampler.h"
#include "arch/gpu/interval_recorder.h"
#include "arch/simulation.h"

namespace gpuloom::arch {

class Recording {
 public:
  // Throws Error where the trace names an SM that the GPU does not have.
  Recording(const GpuConfig& config, Gpu& gpu, const SimulationOptions& options);

  CounterSampler* sampler() { return sampler_.get(); }  // null: nothing is sampled
  // A kernel begins on an empty GPU: what is of one SM, for several SMs at once, and what is of the GPU.
  static void start(Sm& sm, Cycle at);
  void start(Cycle at);
  // A kernel ends; SMs stand at `at`.
  void pass(Cycle at);
  // What belongs to a kernel that ran alone until `end`.
  void add_to(KernelResult& result, const KernelContext& kernel, Cycle end);

 private:
  std::shared_ptr<traces::Timeline> timeline(const KernelResult& result, const KernelContext& kernel) const;
  traces::SmTimeline timeline_of(Sm& sm, uint64_t cycles) const;

  const GpuConfig& config_;
  Gpu& gpu_;
  const traces::TraceRequest& request_;
  std::unique_ptr<CounterSampler> sampler_;
  std::unique_ptr<IntervalRecorder> intervals_;
};

}  // namespace gpuloom::arch
