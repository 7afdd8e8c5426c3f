// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/recording.h"

#include <algorithm>

#include "base/error.h"
#include "ptx/exec/fault.h"

namespace gpuloom::arch {

Recording::Recording(const GpuConfig& config, Gpu& gpu, const SimulationOptions& options)
    : config_(config), gpu_(gpu), request_(options.trace) {
  if (options.interval_cycles != 0)
    intervals_ = std::make_unique<IntervalRecorder>(gpu, options.interval_cycles);
  if (!request_.timeline && request_.vcd.empty()) return;
  sampler_ = std::make_unique<CounterSampler>(gpu, request_);
  if (!request_.timeline) return;
  for (const unsigned sm : request_.sms) {
    if (sm >= gpu.sms.size())
      throw Error(ErrorKind::kUsage, "there is no SM " + std::to_string(sm) + ": the GPU has " +
                                         std::to_string(gpu.sms.size()) + ", from 0");
    gpu.sms[sm]->record(request_);
  }
}

void Recording::start(Sm& sm, Cycle at) {
  if (sm.recorder()) sm.recorder()->start(at);
  if (sm.pipeline()) sm.pipeline()->start(at);
}

void Recording::start(Cycle at) {
  if (sampler_) sampler_->start(at);
  if (intervals_) intervals_->start(at);
}

void Recording::pass(Cycle at) {
  if (intervals_) intervals_->pass(at);
}

void Recording::add_to(KernelResult& result, const KernelContext& kernel, Cycle end) {
  result.timeline = timeline(result, kernel);
  if (!intervals_) return;
  intervals_->close(end);
  result.intervals = intervals_->take(result.kernel, result.cycles);
}

std::shared_ptr<traces::Timeline> Recording::timeline(const KernelResult& result,
                                                      const KernelContext& kernel) const {
  if (!request_.timeline) return nullptr;
  auto t = std::make_shared<traces::Timeline>();
  t->kernel = result.kernel;
  t->clock_hz = result.clock_hz;
  t->start_cycle = result.start_cycle;
  t->cycles = result.cycles;
  t->recorded_to = std::min(request_.end, result.cycles);
  t->sub_cores = config_.sm.sub_cores;
  t->warps_per_sub_core = config_.sm.warps_per_sub_core();
  t->reasons.assign(kStallNames.begin(), kStallNames.end());
  for (size_t i = 0; i < kernel.program->code.size(); ++i)
    t->instructions.push_back(ptx::place_name(*kernel.program, static_cast<uint32_t>(i)));
  for (const OpInfo& op : kernel.ops)
    t->operations.push_back({std::string(ptx::info(op.op).opcode), op.source});
  for (Sm* sm : gpu_.sms)
    if (sm->recorder()) t->sms.push_back(timeline_of(*sm, result.cycles));
  t->counters = sampler_->tracks();
  return t;
}

traces::SmTimeline Recording::timeline_of(Sm& sm, uint64_t cycles) const {
  traces::SmTimeline s = sm.recorder()->timeline();
  const auto inside = [&](uint64_t begin, uint64_t end) {
    return end >= request_.begin && begin < request_.end;
  };
  for (const traces::Fill& f : sm.pipeline()->fills())
    if (inside(f.issued, std::min(f.complete, cycles))) s.fills.push_back(f);
  for (const traces::FreeWait& w : sm.pipeline()->free_waits())
    if (inside(w.begin, w.end)) s.free_waits.push_back(w);
  s.copies_dropped = sm.pipeline()->dropped();
  return s;
}

}  // namespace gpuloom::arch
