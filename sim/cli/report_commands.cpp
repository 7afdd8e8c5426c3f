// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report_commands.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "sim/api/metric_list.h"
#include "sim/cli/guarded.h"
#include "sim/cli/print.h"
#include "sim/cli/terminal.h"
#include "sim/cli/whole_number.h"
#include "sim/memory/files.h"
#include "sim/report/compare.h"
#include "sim/report/ncu/ncu_compare.h"
#include "sim/report/writers.h"

namespace gpuloom::cli {
namespace {

bool fits(const sim::KnownMetric& m, const std::string& pattern) {
  return m.name.find(pattern) != std::string::npos || m.description.find(pattern) != std::string::npos;
}

// Roll-ups of one counter share an entry unless one of them is asked for by name.
int metrics(const std::string& pattern, const std::string& config) {
  const std::vector<sim::KnownMetric> known = sim::known_metrics(config);
  size_t found = 0;
  std::string shown;
  for (const sim::KnownMetric& m : known) {
    if (!fits(m, pattern)) continue;
    ++found;
    const bool whole = !m.counter.empty() && m.counter.find(pattern) != std::string::npos;
    if (whole && m.counter == shown) continue;
    shown = whole ? m.counter : "";
    print(fmt::format("{}{}\n    {}\n", whole ? m.counter + ".{sum,avg,min,max}" : m.name,
                      m.unit.empty() ? "" : fmt::format("  [{}]", m.unit), m.description));
  }
  if (found != 0) return 0;
  throw Error(ErrorKind::kUsage, "no metric has '" + pattern + "' in its name or description", {},
              sim::near_metric(pattern, known));
}

// A run's folder or its result.json.
RunReport read_run(const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/result.json" : path;
  return parse_result_json(sim::read_file(file), file);
}

void check_number(size_t runs, const std::string& ncu) {
  if (ncu.empty() && runs < 2)
    throw Error(ErrorKind::kUsage, "compare needs at least two results", {},
                "or one result and, with --ncu, a profile of a real GPU");
  if (!ncu.empty() && runs != 1)
    throw Error(ErrorKind::kUsage, "--ncu takes exactly one result", {},
                "gpuloom compare RESULT --ncu profile.csv");
}

}  // namespace

void add_metrics_command(CLI::App& app, int& exit_code) {
  struct ReportArguments {
    std::string pattern, config = "h200";
  };
  auto a = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("metrics", "All metrics that result.json can contain, with unit and definition");
  command->add_option("pattern", a->pattern, "Part of the name or of the description");
  command->add_option("-c,--config,--gpu", a->config, "Configuration whose counters are listed")
      ->capture_default_str();
  command->callback([a, &exit_code] { exit_code = guarded([&] { return metrics(a->pattern, a->config); }); });
}

void add_compare_command(CLI::App& app, int& exit_code) {
  struct ReportArguments {
    std::vector<std::string> runs;
    std::string ncu;
    CompareOptions options;
  };
  auto args = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Results side by side: what changed in the hardware and in the metrics, and a verdict");
  command->add_option("runs", args->runs, "Folders of runs, or result.json files; the first is the base")
      ->required()
      ->expected(1, 64);
  command->add_option("--ncu", args->ncu,
                      "One result beside a profile of a real GPU: a file of `ncu --csv --page raw`");
  command
      ->add_option("--threshold", args->options.threshold_pct, "Hide changes smaller than this many percent")
      ->check(amount_of_time())
      ->capture_default_str();
  command
      ->add_option("--filter", args->options.filters,
                   "Only metrics with this in their name or label; * and ? as in file names; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--all", args->options.all, "Every metric, in the order of the table");
  command->callback([args, &exit_code] {
    exit_code = guarded([&] {
      check_number(args->runs.size(), args->ncu);
      std::vector<NamedRun> runs;
      for (const std::string& path : args->runs) runs.push_back({path, read_run(path)});
      args->options.width = terminal_width();
      if (!args->ncu.empty())
        print(painted(ncu_compare_text(runs[0], parse_ncu_csv(sim::read_file(args->ncu), args->ncu),
                                       args->ncu, args->options)));
      else
        print(painted(compare_text(runs, args->options)));
      return 0;
    });
  });
}

}  // namespace gpuloom::cli
