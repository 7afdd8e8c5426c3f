// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/launch_source.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "sim/base/error.h"
#include "sim/base/text.h"

namespace gpuloom::cli {

std::string launch_text(const DirectLaunch& launch) {
  if (launch.kernel.empty()) throw Error(ErrorKind::kUsage, "which kernel? Give --kernel NAME");
  const auto extents = [](const std::vector<uint32_t>& list) {
    std::vector<std::string> words;
    for (const uint32_t n : list) words.push_back(std::to_string(n));
    return "[" + (words.empty() ? "1" : join(words, ", ")) + "]";
  };
  std::string buffers, args;
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const std::string& text = launch.args[i];
    const size_t open = text.find('['), close = text.find(']'), equals = text.find('=');
    if (open != std::string::npos && close != std::string::npos && open < close) {
      std::string fill = equals == std::string::npos ? "zero" : text.substr(equals + 1), seed = "1";
      if (const size_t colon = fill.find(':'); colon != std::string::npos) {
        seed = fill.substr(colon + 1);
        fill.resize(colon);
      }
      buffers += fmt::format("  arg{}: {{type: {}, count: {}, init: {}, seed: {}, output: true}}\n", i,
                             text.substr(0, open), text.substr(open + 1, close - open - 1), fill, seed);
      args += fmt::format("{}arg{}", i == 0 ? "" : ", ", i);
    } else if (equals != std::string::npos) {
      args +=
          fmt::format("{}{{{}: {}}}", i == 0 ? "" : ", ", text.substr(0, equals), text.substr(equals + 1));
    } else {
      args += (i == 0 ? "" : ", ") + text;
    }
  }
  std::string out = fmt::format("ptx: \"{}\"\n", launch.ptx);
  if (!buffers.empty()) out += "buffers:\n" + buffers;
  out += fmt::format("kernel: \"{}\"\ngrid: {}\nblock: {}\n", launch.kernel, extents(launch.grid),
                     extents(launch.block));
  if (!launch.cluster.empty()) out += "cluster: " + extents(launch.cluster) + "\n";
  out += "dynamic_shared: " + launch.dynamic_shared + "\nargs: [" + args + "]\n";
  return out;
}

void add_launch_options(CLI::App& command, LaunchSource& s) {
  command.add_option("file", s.file, "Launch file (YAML), or a .ptx together with --kernel");
  command.add_option("--suite", s.suite, "Folder with cases.json and ptx/")->capture_default_str();
  command.add_option("--case", s.suite_case, "Case of the suite");
  const char* group = "Launching a .ptx without a launch file";
  command.add_option("-k,--kernel", s.direct.kernel, "Kernel to launch")->group(group);
  command.add_option("--grid", s.direct.grid, "Blocks: 256 or 16,16")->delimiter(',')->group(group);
  command.add_option("--block", s.direct.block, "Threads a block: 256 or 16,16")
      ->delimiter(',')
      ->group(group);
  command.add_option("--cluster", s.direct.cluster, "Blocks a cluster")->delimiter(',')->group(group);
  command.add_option("--dynamic-shared", s.direct.dynamic_shared, "Bytes of dynamic shared memory: 48KiB")
      ->group(group);
  command
      .add_option("--arg", s.direct.args,
                  "Next argument: 5, u32=5, f32[1024], f32[1024]=uniform, f32[1024]=uniform:7 (seed)")
      ->allow_extra_args(false)
      ->group(group);
}

sim::LaunchFile read_launch(const LaunchSource& s) {
  if (!s.suite_case.empty()) return sim::read_suite_case(s.suite, s.suite_case);
  if (s.file.empty())
    throw Error(ErrorKind::kUsage, "nothing to run", {},
                "give a launch file, a .ptx with --kernel, or --suite and --case");
  if (!s.file.ends_with(".ptx") && !s.file.ends_with(".ptx.gz")) return sim::read_launch_file(s.file);
  DirectLaunch direct = s.direct;
  direct.ptx = std::filesystem::absolute(s.file).string();
  sim::LaunchFile file = sim::parse_launch_file(launch_text(direct), s.file);
  file.ptx = s.file;
  return file;
}

}  // namespace gpuloom::cli
