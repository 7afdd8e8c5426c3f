// SPDX-License-Identifier: Apache-2.0
// gpuloom run: launches on a configuration, and what they cost.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuloom::sim {
struct LaunchFile;
}

namespace gpuloom::cli {

// Adds the subcommand; its callback stores the exit code in `exit_code`, which must outlive the parsing.
void add_run_command(CLI::App& app, int& exit_code);

// A launch given on the command line instead of a file.
struct DirectLaunch {
  std::string ptx, kernel;
  std::vector<uint32_t> grid, block, cluster;
  std::string dynamic_shared = "0";
  std::vector<std::string>
      args;  // "5", "u32=5", "f32[1024]", "f32[1024]=uniform", "f32[1024]=uniform:7" (seed)
};
// The launch file that says the same. Throws Error (kUsage) for an argument that is none of the forms.
std::string launch_text(const DirectLaunch& launch);

}  // namespace gpuloom::cli
