// SPDX-License-Identifier: Apache-2.0
// Where a command's launch comes from: a launch file, a .ptx with options, or a case of a suite.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/config/config_node.h"
#include "sim/runtime/launch_file.h"

namespace CLI {
class App;
}

namespace gpuloom::cli {

// A launch given on the command line instead of a file.
struct DirectLaunch {
  std::string ptx, kernel;
  std::vector<uint32_t> grid, block, cluster;
  std::string dynamic_shared = "0";
  std::vector<std::string>
      args;  // "5", "u32=5", "f32[1024]", "f32[1024]=uniform", "f32[1024]=uniform:7" (seed)
};
// What a launch file that says the same holds. Throws Error (kUsage) for an argument that is none of the
// forms.
ConfigNode launch_tree(const DirectLaunch& launch);

struct LaunchSource {
  std::string file, suite = "bench/silicon", suite_case;
  DirectLaunch direct;
};
// The positional argument and the options --suite, --case, --kernel, --grid, ...
void add_launch_options(CLI::App& command, LaunchSource& source);
// Throws Error (kUsage) where there is nothing to launch, else as read_launch_file does.
sim::LaunchFile read_launch(const LaunchSource& source);

}  // namespace gpuloom::cli
