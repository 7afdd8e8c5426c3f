// SPDX-License-Identifier: Apache-2.0
// Where a command's launch comes from: a launch file, a file with kernels and options, or a case of a suite.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/config/config_node.h"
#include "sim/runtime/launch_file.h"

namespace CLI {
class App;
}

namespace gpuloom::cli {

// A launch given on the command line instead of a file, or what replaces parts of a file's.
struct DirectLaunch {
  std::string ptx, kernel, grid, block, cluster, dynamic_shared;
  std::vector<std::string> args;  // as argument_text.h says
};
// What a launch file that says the same holds. Throws Error (kUsage) for an argument that is none of the
// forms.
ConfigNode launch_tree(const DirectLaunch& launch);

struct LaunchSource {
  std::string file, suite = "reference", suite_case;
  DirectLaunch direct;
  std::vector<std::string> symbols, saves;  // "coef=f32=1,2,3", "c=out.npy"
  std::vector<std::string> more_words;      // files to link, options of the compiler
  bool written_lines = false;  // inlined instructions count where they are written, not where they are used
};
// The positional argument and the options --suite, --case, --kernel, --grid, ...
void add_launch_options(CLI::App& command, LaunchSource& source);
// Throws Error (kUsage) where there is nothing to launch, else as read_launch_file does.
sim::LaunchFile read_launch(const LaunchSource& source);

// The module of a launch file, where `path` is one, for commands that want kernels alone; else `path`.
std::string file_with_kernels(const std::string& path);

}  // namespace gpuloom::cli
