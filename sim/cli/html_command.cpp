// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/html_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/api/html/html_report.h"
#include "sim/cli/guarded.h"
#include "sim/cli/html_file.h"
#include "sim/cli/print.h"
#include "sim/memory/files.h"

namespace gpuloom::cli {
namespace {

struct HtmlArguments {
  std::vector<std::string> runs;
  std::string baseline, output;
  sim::HtmlReportOptions options;
  bool quiet = false;
};

// Beside the first result, unless another place is asked for.
std::string output_of(const HtmlArguments& a) {
  if (!a.output.empty()) return html_file(a.output);
  const std::filesystem::path first = a.runs[0];
  const bool folder = std::filesystem::is_directory(first);
  return ((folder ? first : first.parent_path()) / "report.html").string();
}

int report(HtmlArguments& a) {
  const std::string file = output_of(a);
  sim::expect_folder_of(file);
  if (!a.baseline.empty()) {
    a.options.baseline = static_cast<int>(a.runs.size());
    a.runs.push_back(a.baseline);
  }
  const std::string page = sim::html_report_of(a.runs, a.options);
  sim::write_file(file, page);
  if (!a.quiet)
    print(fmt::format("  report: {} ({:.2f} MB)\n", file, static_cast<double>(page.size()) / 1e6));
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<HtmlArguments>();
  CLI::App* command =
      app.add_subcommand("report", "Results as one HTML file that any browser opens, offline");
  command
      ->add_option("runs", a->runs,
                   "Folders of runs or result.json files: the page shows the first and compares it with any "
                   "other. Or the directory of a sweep")
      ->required()
      ->expected(1, 64);
  command->add_option("--baseline", a->baseline, "The result that the page compares with when it opens");
  command->add_option("-o,--output", a->output,
                      "A file, or a folder for report.html (default: beside the first result)");
  command->add_option("--title", a->options.title, "Heading of the page (default: the kernel's name)");
  command->add_flag("-q,--quiet", a->quiet, "Do not print where the report was written");
  command->callback([a, &exit_code] { exit_code = guarded([&] { return report(*a); }); });
}

}  // namespace gpuloom::cli
