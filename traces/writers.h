// SPDX-License-Identifier: Apache-2.0
// Formats that viewers read.
#pragma once
#include <string>
#include <vector>

#include "traces/timeline.h"

namespace gpuloom::traces {

// Chrome's trace-event JSON, which ui.perfetto.dev and chrome://tracing open: a process an SM with a track a
// warp and a block slot, asynchronous slices for copies and groups, counters for L2 and DRAM. One microsecond
// of the viewer is a thousand cycles, so that a cycle is a nanosecond there.
std::string perfetto_json(const std::vector<Timeline>& launches);

// A log of the instruction pipeline that Konata opens (format "Kanata 0004"): for each instruction of the SM
// the stages W (waits, the text says why), I (issue) and X (until its result is there).
std::string konata_log(const Timeline& launch, const SmTimeline& sm);

}  // namespace gpuloom::traces
