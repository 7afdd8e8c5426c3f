// SPDX-License-Identifier: Apache-2.0
// What a report is made of: a result, and what lies beside it. Whatever is not there is said, not guessed.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "sim/report/result.h"
#include "sim/runtime/device.h"

namespace gpuloom::sim {

struct PageRun {
  std::string name;                    // as the page calls it
  std::string folder;                  // where it was written; "" for a run that was not
  nlohmann::ordered_json result;       // as page_result gives it
  std::string text;                    // a summary in words; "" of a program
  std::optional<arch::GpuConfig> gpu;  // for peaks; absent where the configuration is not known any more
  std::string config_file;             // of `gpu`; "" where it comes from memory
  std::string ptx;                     // the text that ran; "" where it was not found
  std::string explain;                 // explain.json of `gpuloom explain`; "" where there is none
  std::string pipeline;                // pipeline.json of `gpuloom pipeline`; likewise
  std::string intervals;               // intervals.json of `run --intervals`; "" where there is none
  std::vector<std::shared_ptr<const traces::Timeline>> timelines;  // a launch each, where they were traced
  std::vector<std::string> missing;                                // what the page cannot show, and why
};

// A run's folder, or its result.json. `config`: a file of the configuration, where it is not resolved.yaml
// beside the result. Throws Error (kInput) where there is no result.
PageRun read_page_run(const std::string& path, const std::string& config = {});
// Of a run that has just ended on `device`.
PageRun page_run_of(const RunReport& report, const Device& device);

}  // namespace gpuloom::sim
