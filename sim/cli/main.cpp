// SPDX-License-Identifier: Apache-2.0
// The command line: one subcommand a job; what they do lives in the file of each.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/text.h"
#include "base/version.h"
#include "sim/cli/analyze_command.h"
#include "sim/cli/check_command.h"
#include "sim/cli/config_command.h"
#include "sim/cli/conformance_command.h"
#include "sim/cli/guarded.h"
#include "sim/cli/help_commands.h"
#include "sim/cli/info_command.h"
#include "sim/cli/isa_command.h"
#include "sim/cli/occupancy_command.h"
#include "sim/cli/report_commands.h"
#include "sim/cli/run_command.h"
#include "sim/cli/score_command.h"
#include "sim/cli/sweep_command.h"

namespace {

// CLI11 says of a word that is no command only that a command is required.
void check_command_name(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (word.starts_with("-") || std::find(known.begin(), known.end(), word) != known.end()) return;
  const std::string near = gpuloom::did_you_mean(word, known);
  throw gpuloom::Error(gpuloom::ErrorKind::kUsage, "there is no command '" + word + "'", {},
                       near.empty() ? "gpuloom --help lists them" : near);
}

// A full disk or a closed pipe shows when the last bytes leave; what was cut off must not look like success.
int output_written(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr, "gpuloom: cannot write the output: %s\n",
               errno != 0 ? std::strerror(errno) : "standard output failed");
  return exit_code != 0 ? exit_code : static_cast<int>(gpuloom::ErrorKind::kInput);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gpuloom;
  prepare_heap();
  CLI::App app{"gpuloom: a cycle-approximate simulator of GPUs that reads PTX"};
  app.set_version_flag("--version",
                       std::string(version()) + " (sources " + std::string(source_digest()) + ")");
  app.require_subcommand(1);
  int exit_code = 0;
  cli::add_run_command(app, exit_code);
  cli::add_analyze_command(app, exit_code);
  cli::add_check_command(app, exit_code);
  cli::add_info_command(app, exit_code);
  cli::add_isa_command(app, exit_code);
  cli::add_config_command(app, exit_code, [](const Config& config) { arch::load_gpu_config(config.root()); });
  cli::add_occupancy_command(app, exit_code);
  cli::add_metrics_command(app, exit_code);
  cli::add_compare_command(app, exit_code);
  cli::add_score_command(app, exit_code);
  cli::add_conformance_command(app, exit_code);
  cli::add_sweep_command(app, exit_code);
  cli::add_help_commands(app, exit_code);
  if (argc > 1) {
    const int code = cli::guarded([&] {
      check_command_name(app, argv[1]);
      return 0;
    });
    if (code != 0) return code;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help or the message
    return code == 0 ? output_written(0) : static_cast<int>(ErrorKind::kUsage);
  }
  return output_written(exit_code);
}
