// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/explain_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/config/config.h"
#include "base/config/yaml_writer.h"
#include "sim/api/explain/explain.h"
#include "sim/api/simulator.h"
#include "sim/cli/guarded.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/launch_source.h"
#include "sim/cli/output_folder.h"
#include "sim/cli/page_folder.h"
#include "sim/cli/print.h"
#include "sim/cli/terminal.h"
#include "sim/cli/whole_number.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"

namespace gpuloom::cli {
namespace {

constexpr size_t kFindingsShown = 5;

struct ExplainArguments {
  LaunchSource source;
  std::string config, output, html;
  std::vector<std::string> overrides, only;
  bool json = false, all = false, quiet = false, force = false, no_contract = false;
  unsigned jobs = 1, pair_of = 3;
  uint64_t max_cycles = 0;
  double max_seconds = 0, timeout = 0;
};

sim::ExplainOptions options_of(const ExplainArguments& a, const sim::LaunchFile& file, Interrupt& interrupt) {
  sim::ExplainOptions o;
  sim::DeviceOptions& device = o.runs.device;
  device.config = !a.config.empty() ? a.config : !file.config.empty() ? file.config : "h200";
  device.overrides = a.overrides;
  device.contract = !a.no_contract;
  device.line_rule = a.source.written_lines ? sim::LineRule::kWritten : sim::LineRule::kUser;
  device.limits.stack_bytes = file.stack_limit.value_or(device.limits.stack_bytes);
  device.limits.heap_bytes = file.heap_limit.value_or(device.limits.heap_bytes);
  o.runs.launch.max_cycles = a.max_cycles;
  o.runs.save_folder = a.output;
  o.runs.jobs = a.jobs;
  o.runs.timeout_seconds = a.timeout;
  o.runs.go_on = [&interrupt] { return !interrupt.asked(); };
  if (!a.quiet && isatty(STDERR_FILENO) != 0)
    o.runs.ended = [](size_t done, size_t asked) {
      std::fprintf(stderr, "\rgpuloom: %zu of %zu runs%s", done, asked, done == asked ? "\r\033[K" : "");
    };
  o.pair_of = a.pair_of;
  o.only = a.only;
  return o;
}

void write_results(const ExplainArguments& a, const sim::ExplainOptions& options, const sim::Explanation& e,
                   const std::string& json) {
  const PageFolder place(a.output, a.html);
  if (place.path().empty()) return;
  const OutputFolder folder(place.path(), e.base.provenance, a.force);
  sim::write_file(place.path() + "/result.json", result_json(e.base));
  sim::write_file(place.path() + "/explain.json", json);
  const Config config = Config::load(options.runs.device.config, options.runs.device.overrides);
  sim::write_file(place.path() + "/resolved.yaml", yaml_text(config.tree()));
  if (!e.base.made_ptx.empty()) sim::write_file(place.path() + "/module.ptx", e.base.made_ptx);
  place.write_page(e.base.provenance.launch);
}

int explain(const ExplainArguments& a) {
  const sim::LaunchFile file = read_launch(a.source);
  Interrupt interrupt(a.max_seconds);
  if (!a.output.empty()) sim::make_folder(a.output);
  const sim::ExplainOptions options = options_of(a, file, interrupt);
  sim::Explanation e;
  try {
    e = sim::explain(file, options);
  } catch (const Error& error) {
    if (!interrupt.asked()) throw;
    std::fprintf(stderr, "gpuloom: %s; nothing was written\n", interrupt.words().c_str());
    return interrupt.exit_code();
  }
  const std::string json = sim::explain_json(e);
  write_results(a, options, e, json);
  if (a.json) {
    print(json);
  } else if (!a.quiet) {
    print(painted(sim::explain_text(e, a.all ? 0 : kFindingsShown, terminal_width())));
    print(fmt::format("  {} runs, {:.1f} s\n", e.runs, e.seconds));
  }
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand(
      "explain", "Measure what each hardware mechanism costs a launch, and say what to change");
  add_launch_options(*command, a->source);
  command->add_option("-c,--config,--gpu", a->config, "Configuration: a name such as h200, or a file");
  command->add_option("-s", a->overrides, "Override a value of the configuration: -s sm.shared.banks=64")
      ->allow_extra_args(false);
  command->add_option("-j,--jobs", a->jobs, "Runs at a time, each in its own process")
      ->check(between(1, 1024));
  command->add_option("--switch", a->only, "Try only this switch (ideal.bank_conflicts); may be repeated")
      ->allow_extra_args(false);
  command->add_option("--pairs", a->pair_of, "Run all pairs of this many of the strongest switches (0: none)")
      ->check(between(0, 8))
      ->capture_default_str();
  command->add_flag("--no-contract", a->no_contract, "As for run");
  command->add_option("--max-cycles", a->max_cycles, "Give up a run after this many cycles")
      ->check(whole_number());
  command->add_option("--max-seconds", a->max_seconds, "Stop after this much host time (exit code 5)")
      ->check(amount_of_time());
  command->add_option("--timeout", a->timeout, "Seconds that a run may take")->check(amount_of_time());
  command->add_option("-o,--output", a->output,
                      "Folder for explain.json and the result.json of the plain run");
  command->add_option("--html", a->html, "Write the report with the advice: a file, or a folder");
  command->add_flag("--force", a->force, "Replace the result of another launch in -o's folder");
  command->add_flag("--json", a->json, "Print explain.json");
  command->add_flag("--all", a->all, "Print every piece of advice, not only the first five");
  command->add_flag("-q,--quiet", a->quiet, "No summary");
  command->callback([a, &exit_code] { exit_code = guarded([&] { return explain(*a); }); });
}

}  // namespace gpuloom::cli
