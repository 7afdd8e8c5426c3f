// SPDX-License-Identifier: Apache-2.0
// A launch file from beginning to end: buffers, launches, saved files, verification, report.
#pragma once
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

// Runs every launch of `file` on `device`, each with `options`. `save_folder` replaces the launch file's
// folder for relative `save` paths; "" keeps it. A failed verification is in the report (RunReport::checks),
// not an Error. Throws Error as Simulator::launch does, and (kInput) where a buffer's file or a kernel is
// missing.
RunReport run_launch_file(Device& device, const LaunchFile& file, const LaunchOptions& options,
                          const std::string& save_folder = {});

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
