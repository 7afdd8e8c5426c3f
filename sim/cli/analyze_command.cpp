// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/analyze_command.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "sim/api/access_score.h"
#include "sim/api/simulator.h"
#include "sim/cli/guarded.h"
#include "sim/cli/launch_source.h"
#include "sim/cli/print.h"
#include "sim/cli/terminal.h"
#include "sim/report/table.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::cli {
namespace {

constexpr size_t kRowsShown = 12;

struct Arguments {
  LaunchSource source;
  std::string config;
  std::vector<std::string> overrides, beside;
  bool json = false, csv = false, all = false, no_contract = false;
};

std::vector<AccessReport> analysed(const Arguments& a, const sim::LaunchFile& file) {
  sim::DeviceOptions o;
  o.config = !a.config.empty() ? a.config : !file.config.empty() ? file.config : "h200";
  o.overrides = a.overrides;
  o.mode = sim::Mode::kFunctional;
  o.analyze = true;
  o.line_rule = a.source.written_lines ? sim::LineRule::kWritten : sim::LineRule::kUser;
  o.contract = !a.no_contract;
  sim::Simulator simulator(o);
  return simulator.run(file, {}).accesses;
}

// Cases of the suite whose names fit one of the patterns, beside the silicon's counters.
int beside_silicon(const Arguments& a) {
  const sim::SiliconTables silicon = sim::load_silicon(a.source.suite);
  TextTable table({"Case", "Counter", ">Analysed", ">H200", "Equal"});
  size_t cases = 0, equal_cases = 0, counters = 0, equal = 0;
  for (const std::string& name : sim::suite_case_names(a.source.suite)) {
    const bool chosen = std::any_of(a.beside.begin(), a.beside.end(), [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
    const auto truth = silicon.find(name);
    if (!chosen || truth == silicon.end()) continue;
    const std::vector<AccessReport> reports = analysed(a, sim::read_suite_case(a.source.suite, name));
    bool all_equal = true;
    for (const sim::AccessComparison& c : sim::compare_accesses(reports.back(), truth->second)) {
      ++counters;
      equal += c.equal();
      all_equal = all_equal && c.equal();
      if (!c.equal() || a.all)
        table.row({name, std::string(c.id), with_thousands(static_cast<uint64_t>(c.analysed)),
                   with_thousands(static_cast<uint64_t>(c.silicon)), c.equal() ? "yes" : "no"});
    }
    ++cases;
    equal_cases += all_equal;
  }
  if (cases == 0) throw Error(ErrorKind::kUsage, "no case of the suite has such a name");
  if (table.rows() != 0) print(table.str() + "\n");
  print(fmt::format("{} cases: all counters equal in {}; {} of {} counters equal\n", cases, equal_cases,
                    equal, counters));
  return equal_cases == cases ? 0 : static_cast<int>(ErrorKind::kVerification);
}

int analyze(const Arguments& a) {
  if (!a.beside.empty()) return beside_silicon(a);
  const std::vector<AccessReport> reports = analysed(a, read_launch(a.source));
  if (a.json) {
    print(access_json(reports));
  } else if (a.csv) {
    print(access_csv(reports));
  } else {
    for (const AccessReport& report : reports)
      print(painted(access_text(report, a.all ? 0 : kRowsShown, terminal_width())));
  }
  return 0;
}

}  // namespace

void add_analyze_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* analyze_app = app.add_subcommand(
      "analyze",
      "Sectors, wavefronts and bank conflicts of every memory instruction, with hints; without time");
  add_launch_options(*analyze_app, a->source);
  analyze_app->add_option("-c,--config", a->config, "Configuration: a name such as h200, or a file");
  analyze_app->add_option("-s", a->overrides, "Override a value of the configuration: -s sm.shared.banks=16")
      ->allow_extra_args(false);
  analyze_app->add_flag("--no-contract", a->no_contract, "As for run");
  analyze_app->add_flag("--json", a->json,
                        "Everything as JSON: counts, worst addresses, bank histograms, hints");
  analyze_app->add_flag("--csv", a->csv, "One line an instruction");
  analyze_app->add_flag("--all", a->all, "Every instruction, not only the costliest");
  analyze_app->add_option(
      "--beside-silicon", a->beside,
      "Cases of the suite ('bank*') beside the counters of silicon; exit code 1 where one differs");
  analyze_app->callback([a, &exit_code] { exit_code = guarded([&] { return analyze(*a); }); });
}

}  // namespace gpuloom::cli
