// SPDX-License-Identifier: Apache-2.0
// The command line: one subcommand a job; what they do lives in the file of each.
#include <CLI/CLI.hpp>
#include <string>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/heap.h"
#include "base/text.h"
#include "base/version.h"
#include "sim/cli/analyze_command.h"
#include "sim/cli/check_command.h"
#include "sim/cli/config_command.h"
#include "sim/cli/exec_command.h"
#include "sim/cli/explain_command.h"
#include "sim/cli/external_command.h"
#include "sim/cli/extract_command.h"
#include "sim/cli/help_commands.h"
#include "sim/cli/html_command.h"
#include "sim/cli/info_command.h"
#include "sim/cli/isa_command.h"
#include "sim/cli/occupancy_command.h"
#include "sim/cli/pipeline_command.h"
#include "sim/cli/program.h"
#include "sim/cli/report_commands.h"
#include "sim/cli/run_command.h"
#include "sim/cli/sweep_command.h"

int main(int argc, char** argv) {
  using namespace gpuloom;
  cli::become_external_command(argv);
  prepare_heap();
  CLI::App app{"gpuloom: a cycle-approximate simulator of GPUs that reads PTX"};
  app.set_version_flag("--version",
                       std::string(version()) + " (sources " + std::string(source_digest()) + ")");
  app.require_subcommand(1);
  if (const auto others = cli::external_commands(); !others.empty())
    app.footer("Commands in separate programs, beside this one: " + join(others, ", "));
  int exit_code = 0;
  cli::add_run_command(app, exit_code);
  cli::add_exec_command(app, exit_code);
  cli::add_extract_command(app, exit_code);
  cli::add_explain_command(app, exit_code);
  cli::add_pipeline_command(app, exit_code);
  cli::add_analyze_command(app, exit_code);
  cli::add_check_command(app, exit_code);
  cli::add_info_command(app, exit_code);
  cli::add_isa_command(app, exit_code);
  cli::add_config_command(app, exit_code, [](const Config& config) { arch::load_gpu_config(config.root()); });
  cli::add_occupancy_command(app, exit_code);
  cli::add_metrics_command(app, exit_code);
  cli::add_compare_command(app, exit_code);
  cli::add_report_command(app, exit_code);
  cli::add_sweep_command(app, exit_code);
  cli::add_help_commands(app, exit_code);
  return cli::run_program(app, argc, argv, exit_code);
}
