// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report_commands.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "sim/cli/guarded.h"
#include "sim/cli/print.h"
#include "sim/memory/files.h"
#include "sim/report/metric_table.h"
#include "sim/report/writers.h"

namespace gpuloom::cli {
namespace {

int metrics(const std::string& pattern) {
  size_t found = 0;
  for (const MetricInfo& m : metric_table()) {
    if (m.name.find(pattern) == std::string_view::npos &&
        m.description.find(pattern) == std::string_view::npos)
      continue;
    ++found;
    print(fmt::format("{}{}\n    {}\n", m.name, m.unit.empty() ? "" : fmt::format("  [{}]", m.unit),
                      m.description));
  }
  if (found != 0) return 0;
  throw Error(ErrorKind::kUsage, "no metric has '" + pattern + "' in its name or description");
}

// A run's folder or its result.json.
RunReport read_run(const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/result.json" : path;
  return parse_result_json(sim::read_file(file), file);
}

}  // namespace

void add_metrics_command(CLI::App& app, int& exit_code) {
  auto pattern = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("metrics", "Metrics with unit and definition");
  command->add_option("pattern", *pattern, "Part of the name or of the description");
  command->callback([pattern, &exit_code] { exit_code = guarded([&] { return metrics(*pattern); }); });
}

void add_compare_command(CLI::App& app, int& exit_code) {
  struct Arguments {
    std::string a, b;
    bool all = false;
  };
  auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("compare", "Metrics of two runs side by side");
  command->add_option("a", args->a, "Folder of a run, or a result.json")->required();
  command->add_option("b", args->b, "The other one")->required();
  command->add_flag("--all", args->all, "Also metrics that are equal");
  command->callback([args, &exit_code] {
    exit_code = guarded([&] {
      print(compare_text(read_run(args->a), read_run(args->b), args->a, args->b, args->all));
      return 0;
    });
  });
}

}  // namespace gpuloom::cli
