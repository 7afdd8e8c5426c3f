// SPDX-License-Identifier: Apache-2.0
// Runs a launch for its pipelines: once as it is, and once for each number of stages.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/api/pipeline/pipeline.h"
#include "sim/api/simulator.h"

namespace gpuloom::sim {

struct PipelineOptions {
  DeviceOptions device;  // its trace: SMs and cycles to record
  LaunchOptions launch;
  std::string save_folder;
  std::vector<unsigned> stages;  // of a sweep; empty: none
  std::string macro = "STAGES";  // that -D sets; "{}" in the kernel's name stands for the number too
  std::function<void(unsigned stages)> begins;  // of a sweep; may be empty
};

struct MeasuredPipeline {
  PipelineReport report;
  RunReport run;            // as it is
  std::string config_yaml;  // that ran
};

// Throws Error as run_launch_file does, and kUsage where nothing of the launch depends on the number of
// stages. A number that fails by itself (it does not compile, or does not fit an SM) has a row that says why.
MeasuredPipeline measure_pipeline(const LaunchFile& file, const PipelineOptions& options);

}  // namespace gpuloom::sim
