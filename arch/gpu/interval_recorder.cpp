// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/interval_recorder.h"

#include <algorithm>
#include <vector>

namespace gpuloom::arch {

IntervalRecorder::IntervalRecorder(Gpu& gpu, uint64_t cycles_each) : gpu_(gpu), asked_(cycles_each) {
  for (Sm* sm : gpu_.sms) sm->sample_intervals(cycles_each);
  for (auto& slice : gpu_.slices) slice->log_intervals(cycles_each);
  for (auto& channel : gpu_.channels) channel->log_intervals(cycles_each);
}

void IntervalRecorder::start(Cycle now) {
  for (Sm* sm : gpu_.sms) sm->start_intervals(now);
  for (auto& slice : gpu_.slices) slice->interval_log()->start(now);
  for (auto& channel : gpu_.channels) channel->interval_log()->start(now);
}

void IntervalRecorder::pass(Cycle end) {
  for (Sm* sm : gpu_.sms) sm->pass_intervals(end);
}

void IntervalRecorder::close(Cycle end) {
  for (Sm* sm : gpu_.sms) sm->interval_sampler()->close(end);
  const Cycle last = std::max<Cycle>(end, 1) - 1;
  for (auto& slice : gpu_.slices) slice->interval_log()->add(last);
  for (auto& channel : gpu_.channels) channel->interval_log()->add(last);
}

std::shared_ptr<stats::Intervals> IntervalRecorder::take(const std::string& kernel, uint64_t cycles) {
  std::vector<stats::IntervalLog*> sms, slices, channels;
  for (Sm* sm : gpu_.sms) sms.push_back(&sm->interval_sampler()->log());
  for (auto& slice : gpu_.slices) slices.push_back(slice->interval_log());
  for (auto& channel : gpu_.channels) channels.push_back(channel->interval_log());
  uint64_t widest = asked_;
  for (const auto* kind : {&sms, &slices, &channels})
    for (const stats::IntervalLog* log : *kind) widest = std::max(widest, log->cycles_each());
  auto intervals = std::make_shared<stats::Intervals>();
  intervals->kernel = kernel;
  intervals->cycles_asked = asked_;
  intervals->cycles_each = widest;
  intervals->cycles = cycles;
  const auto table = [&](const char* name, const std::vector<stats::IntervalLog*>& logs) {
    for (stats::IntervalLog* log : logs) log->widen_to(widest);
    intervals->tables.push_back(stats::interval_table(name, {logs.begin(), logs.end()}));
  };
  table("sm", sms);
  table("l2", slices);
  table("dram", channels);
  return intervals;
}

}  // namespace gpuloom::arch
