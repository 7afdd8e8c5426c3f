// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/pipeline_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/config/units.h"
#include "base/error.h"
#include "sim/api/pipeline/measure.h"
#include "sim/cli/guarded.h"
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

constexpr unsigned kMostStages = 64;

struct PipelineArguments {
  LaunchSource source;
  std::string config, output, html, stages, macro = "STAGES";
  std::vector<std::string> overrides;
  std::vector<unsigned> sms = {0};
  bool json = false, quiet = false, force = false, no_contract = false;
  unsigned threads = 1;
  uint64_t max_cycles = 0;
};

unsigned stage_number(const std::string& text, const std::string& all) {
  int64_t value = 0;
  if (parse_integer(text, value) && value >= 1 && value <= kMostStages) return static_cast<unsigned>(value);
  throw Error(ErrorKind::kUsage, fmt::format("--stages: '{}' is not a list of stage counts", all), {},
              fmt::format("1..8, 2,3,4 or 4, each from 1 to {}", kMostStages));
}

// "1..8", "2,3,4".
std::vector<unsigned> stages_of(const std::string& text) {
  std::vector<unsigned> stages;
  if (text.empty()) return stages;
  if (const size_t dots = text.find(".."); dots != std::string::npos) {
    const unsigned first = stage_number(text.substr(0, dots), text),
                   last = stage_number(text.substr(dots + 2), text);
    if (last < first) stage_number("", text);
    for (unsigned s = first; s <= last; ++s) stages.push_back(s);
    return stages;
  }
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    stages.push_back(stage_number(text.substr(at, end - at), text));
    at = end + 1;
  }
  return stages;
}

sim::PipelineOptions pipeline_options(const PipelineArguments& a, const sim::LaunchFile& file) {
  sim::PipelineOptions o;
  o.device.config = !a.config.empty() ? a.config : !file.config.empty() ? file.config : "h200";
  o.device.overrides = a.overrides;
  o.device.contract = !a.no_contract;
  o.device.threads = a.threads;
  o.device.line_rule = a.source.written_lines ? sim::LineRule::kWritten : sim::LineRule::kUser;
  o.device.limits.stack_bytes = file.stack_limit.value_or(o.device.limits.stack_bytes);
  o.device.limits.heap_bytes = file.heap_limit.value_or(o.device.limits.heap_bytes);
  o.device.trace.timeline = true;
  o.device.trace.records = false;  // fills and waits alone
  o.device.trace.sms = a.sms;
  o.launch.max_cycles = a.max_cycles;
  o.save_folder = a.output;
  o.stages = stages_of(a.stages);
  o.macro = a.macro;
  if (!a.quiet && isatty(STDERR_FILENO) != 0)
    o.begins = [macro = a.macro](unsigned stages) {
      std::fprintf(stderr, "\r\033[Kgpuloom: %s=%u", macro.c_str(), stages);
    };
  return o;
}

void write_pipeline(const PipelineArguments& a, const sim::MeasuredPipeline& m, const std::string& json) {
  const PageFolder place(a.output, a.html);
  if (place.path().empty()) return;
  const OutputFolder folder(place.path(), m.run.provenance, a.force);
  sim::write_file(place.path() + "/result.json", result_json(m.run));
  sim::write_file(place.path() + "/resolved.yaml", m.config_yaml);
  if (!m.run.made_ptx.empty()) sim::write_file(place.path() + "/module.ptx", m.run.made_ptx);
  sim::write_file(place.path() + "/pipeline.json", json);
  place.write_page(m.run.provenance.launch);
}

int pipeline(const PipelineArguments& a) {
  const sim::LaunchFile file = read_launch(a.source);
  if (!a.output.empty()) sim::make_folder(a.output);
  const sim::PipelineOptions options = pipeline_options(a, file);
  const sim::MeasuredPipeline m = sim::measure_pipeline(file, options);
  if (options.begins && !options.stages.empty()) std::fprintf(stderr, "\r\033[K");
  const std::string json = sim::pipeline_json(m.report);
  write_pipeline(a, m, json);
  if (a.json)
    print(json);
  else if (!a.quiet)
    print(painted(sim::pipeline_text(m.report, terminal_width())));
  return 0;
}

}  // namespace

void add_pipeline_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<PipelineArguments>();
  CLI::App* command = app.add_subcommand(
      "pipeline", "How long warps wait for asynchronous copies, and how many stages would hide them");
  add_launch_options(*command, a->source);
  command->add_option("-c,--config,--gpu", a->config, "Configuration: a name such as h200, or a file");
  command->add_option("-s", a->overrides, "Override a value of the configuration: -s sm.shared.banks=64")
      ->allow_extra_args(false);
  command->add_option("--stages", a->stages,
                      "Compile and run CUDA C++ with each number of stages: 1..8 or 2,3,4");
  command->add_option("--macro", a->macro, "The macro that is the number of stages, set by -D")
      ->capture_default_str();
  command->add_option("--sm", a->sms, "SMs whose blocks are followed: 0,5")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("-j,--jobs", a->threads, "Host threads; results do not depend on the number")
      ->check(between(1, 1024));
  command->add_flag("--no-contract", a->no_contract, "As for run");
  command->add_option("--max-cycles", a->max_cycles, "Give up after this many cycles")->check(whole_number());
  command->add_option("-o,--output", a->output, "Folder for pipeline.json and the result of the run");
  command->add_option("--html", a->html, "Write the report with the pipelines: a file, or a folder");
  command->add_flag("--force", a->force, "Replace the result of another launch in -o's folder");
  command->add_flag("--json", a->json, "Print pipeline.json");
  command->add_flag("-q,--quiet", a->quiet, "No summary");
  command->callback([a, &exit_code] { exit_code = guarded([&] { return pipeline(*a); }); });
}

}  // namespace gpuloom::cli
