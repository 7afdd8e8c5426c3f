// SPDX-License-Identifier: Apache-2.0
// A launch file from beginning to end: buffers, launches, saved files, verification, report.
#pragma once
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

struct SessionOptions {
  bool cold_caches = true;
  uint64_t max_cycles = 0;        // 0: none
  uint64_t max_instructions = 0;  // of warps, without time; 0: none
  RunProgressFn progress;
  bool keep_partial = false;  // where `progress` ends a launch, the report has what was measured until then
  std::string save_folder;    // replaces the launch file's folder for relative `save` paths; "" keeps it
};

// Runs every launch of `file` on `device`. A failed verification is in the report (RunReport::checks), not an
// Error.
RunReport run_launch_file(Device& device, const LaunchFile& file, const SessionOptions& options);

// One launch that a program makes by itself: its report, without buffers and checks. `origin` is what
// provenance_of(device, {}) gave, once for all launches.
RunReport report_launch(Device& device, const LaunchRequest& request, const LaunchOptions& options,
                        const ReportProvenance& origin);

// What a run on this device writes about where its numbers come from, as far as it is known before.
ReportProvenance provenance_of(const Device& device, const LaunchFile& file);

// Whether all checks of a run passed.
bool verified(const RunReport& run);

// The metrics of one launch, from its outcome alone.
ReportKernel report_kernel(const Device& device, const LaunchRequest& request, const LaunchOutcome& outcome);

}  // namespace gpuloom::sim
