// SPDX-License-Identifier: Apache-2.0
// What asynchronous copies and those who wait for them do in time: how late each producer is, for how long a
// buffer lies ready, and how many buffers would hide the copies.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "traces/timeline.h"

namespace gpuloom::sim {

// Fills of all recorded blocks whose first copy stands at one place. Times are cycles, means over fills.
struct PipelineProducer {
  std::string place, wait_place, use_place;  // "x.cu:12"; "" where nobody waited or read
  traces::CopyKind kind = traces::CopyKind::kAsync;
  bool barrier = false;  // an mbarrier counts its bytes
  uint64_t fills = 0, bytes = 0;
  unsigned buffers = 0;  // of a block, the most
  double fill = 0;       // from the first copy to the last one's bytes
  uint64_t fill_most = 0;
  uint64_t late_fills = 0;  // a warp waited before the bytes were there
  double late = 0;          // for how long, mean over the late ones
  double ready = 0;         // of the others: how long the bytes lay there before the first load
  double use = 0;           // from the first load to the last; 0 where no load was seen
  double period = 0;        // from one fill's end to the next one's, in a block
  double step = 0;          // the period without the wait: what a fill has to hide behind
  // Buffers with which a fill that takes as long as now is there in time: 1 + fill / step. 0: not known.
  unsigned buffers_needed = 0;
};

// Waits at mbarriers that no copy feeds: producers wait there for a buffer to be free.
struct PipelineFreeWait {
  std::string place;
  uint64_t waits = 0;
  double cycles = 0;  // mean
};

struct PipelineSm {
  unsigned sm = 0;
  std::vector<traces::Fill> fills;
  std::vector<traces::FreeWait> free_waits;
};

// A launch.
struct Pipeline {
  std::string kernel;
  uint64_t cycles = 0;
  std::vector<PipelineProducer> producers;  // most bytes first
  std::vector<PipelineFreeWait> free_waits;
  std::vector<PipelineSm> sms;
  std::vector<std::string> places;  // by instruction
  std::vector<std::string> notes;   // what is left out
  const PipelineProducer* main() const { return producers.empty() ? nullptr : &producers.front(); }
};

Pipeline pipeline_of(const traces::Timeline& timeline);

// One point of a sweep over the number of stages.
struct PipelineStage {
  unsigned stages = 0;
  uint64_t cycles = 0;
  double occupancy_pct = 0, shared_bytes = 0;  // theoretical occupancy; shared memory of a block
  PipelineProducer main;
  std::string
      failure;  // why there is no result: a compiler's message, shared memory that a block cannot have
};

struct PipelineReport {
  ReportProvenance provenance;
  std::vector<Pipeline> launches;
  std::vector<PipelineStage> stages;  // of a sweep
  std::string macro;
};

// "producer late by 214 cycles in 61 % of 512 phases"; what to do about it, or that nothing is to be done.
std::string lateness(const PipelineProducer& producer);
std::string advice(const PipelineProducer& producer);
std::string pipeline_text(const PipelineReport& report, size_t width);
// pipeline.json: README.md.
std::string pipeline_json(const PipelineReport& report);

}  // namespace gpuloom::sim
