// SPDX-License-Identifier: Apache-2.0
// What a run without time knows beyond its results: machine instructions, occupancy, how memory is used.
#pragma once
#include "sim/report/result.h"
#include "sim/runtime/device.h"

namespace gpuloom::sim {

// Adds what the outcome has of it to a kernel's report: metrics under the names that a run with time uses,
// counters by line, opcodes.
void report_functional(const Device& device, const LaunchRequest& request, const LaunchOutcome& outcome,
                       ReportKernel& kernel);

}  // namespace gpuloom::sim
