// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/analyze_command.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/api/simulator.h"
#include "sim/cli/guarded.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/launch_source.h"
#include "sim/cli/print.h"
#include "sim/cli/terminal.h"
#include "sim/cli/whole_number.h"
#include "sim/report/table.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::cli {
namespace {

constexpr size_t kRowsShown = 12;

struct AnalyzeArguments {
  LaunchSource source;
  std::string config;
  std::vector<std::string> overrides;
  bool json = false, csv = false, all = false, no_contract = false;
  double max_seconds = 0;
};

// Until `interrupt` asks to stop: then with the counts of a part of the last kernel.
std::vector<AccessReport> analysed(const AnalyzeArguments& a, const sim::LaunchFile& file,
                                   Interrupt& interrupt) {
  sim::DeviceOptions o;
  o.config = !a.config.empty() ? a.config : !file.config.empty() ? file.config : "h200";
  o.overrides = a.overrides;
  o.mode = sim::Mode::kFunctional;
  o.analyze = true;
  o.line_rule = a.source.written_lines ? sim::LineRule::kWritten : sim::LineRule::kUser;
  o.contract = !a.no_contract;
  sim::Simulator simulator(o);
  sim::LaunchOptions options;
  options.keep_partial = true;
  options.progress = [&](const sim::RunProgress&) { return !interrupt.asked(); };
  return simulator.run(file, options).accesses;
}

int analyze(const AnalyzeArguments& a) {
  Interrupt interrupt(a.max_seconds);
  const std::vector<AccessReport> reports = analysed(a, read_launch(a.source), interrupt);
  if (a.json) {
    print(access_json(reports));
  } else if (a.csv) {
    print(access_csv(reports));
  } else {
    for (const AccessReport& report : reports)
      print(painted(access_text(report, a.all ? 0 : kRowsShown, terminal_width())));
  }
  if (!interrupt.asked()) return 0;
  std::fprintf(stderr, "gpuloom: %s%s; the counts above are up to that point\n", interrupt.words().c_str(),
               reports.empty() ? "" : (" in kernel '" + short_name(reports.back().kernel) + "'").c_str());
  return interrupt.exit_code();
}

}  // namespace

void add_analyze_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<AnalyzeArguments>();
  CLI::App* analyze_app = app.add_subcommand(
      "analyze",
      "Sectors, wavefronts and bank conflicts of every memory instruction, with hints (no timing)");
  add_launch_options(*analyze_app, a->source);
  analyze_app->add_option("-c,--config,--gpu", a->config, "Configuration: a name such as h200, or a file");
  analyze_app->add_option("-s", a->overrides, "Override a value of the configuration: -s sm.shared.banks=16")
      ->allow_extra_args(false);
  analyze_app->add_flag("--no-contract", a->no_contract, "As for run");
  analyze_app
      ->add_option("--max-seconds", a->max_seconds,
                   "Stop after this many seconds of host time, and show what was counted (exit code 5)")
      ->check(amount_of_time());
  analyze_app->add_flag("--json", a->json,
                        "Everything as JSON: counts, worst addresses, bank histograms, hints");
  analyze_app->add_flag("--csv", a->csv, "One line per instruction");
  analyze_app->add_flag("--all", a->all, "Every instruction, not only the costliest");
  analyze_app->callback([a, &exit_code] { exit_code = guarded([&] { return analyze(*a); }); });
}

}  // namespace gpuloom::cli
