// SPDX-License-Identifier: Apache-2.0
// Runs a launch file: its launches one after another, or its program on streams.
#pragma once
#include <string>

#include "sim/report/result.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::host {

// As sim::run_launch_file. With a program, RunReport::program has a record of each launch and copy and
// RunReport::kernels the metrics of each launch; caches stay as the launch before left them.
RunReport run_file(sim::Device& device, const sim::LaunchFile& file, const sim::LaunchOptions& options,
                   const std::string& save_folder = {});

}  // namespace gpuloom::host
