// SPDX-License-Identifier: Apache-2.0
#include "sim/api/pipeline/measure.h"

#include <fmt/core.h>

#include <cctype>

#include "base/config/yaml_writer.h"
#include "base/error.h"
#include "sim/frontend/content.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

constexpr std::string_view kHole = "{}";  // in a kernel's name

std::string with_number(std::string text, unsigned number) {
  for (size_t at = text.find(kHole); at != std::string::npos; at = text.find(kHole))
    text.replace(at, kHole.size(), std::to_string(number));
  return text;
}

bool kernel_has_hole(const LaunchFile& file) {
  for (const LaunchSpec& entry : file.launches)
    if (entry.kernel.find(kHole) != std::string::npos) return true;
  return false;
}

// The macro stands in the source as a word of its own.
bool names(const std::string& text, const std::string& macro) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = text.find(macro); at != std::string::npos; at = text.find(macro, at + 1)) {
    const size_t end = at + macro.size();
    if ((at == 0 || !word(text[at - 1])) && (end == text.size() || !word(text[end]))) return true;
  }
  return false;
}

void expect_stages(const LaunchFile& file, const PipelineOptions& o) {
  if (o.stages.empty() || kernel_has_hole(file)) return;
  const std::string source = read_file(file.ptx);
  if (frontend::content_of(source, file.ptx) != frontend::Content::kCuda)
    throw Error(ErrorKind::kUsage,
                fmt::format("--stages compiles for each number, and '{}' is not CUDA C++", file.ptx), {},
                "give the .cu, or -k 'name<{}>' where the number is an argument of a template");
  if (!names(source, o.macro))
    throw Error(
        ErrorKind::kUsage,
        fmt::format("nothing in '{}' is called {}, so --stages would change nothing", file.ptx, o.macro), {},
        "--macro NAME says which macro is the number of stages");
}

PipelineReport report_of(const RunReport& run) {
  PipelineReport report;
  report.provenance = run.provenance;
  for (const auto& timeline : run.timelines) report.launches.push_back(pipeline_of(*timeline));
  return report;
}

double metric_of(const RunReport& run, const char* name) {
  const ReportMetric* m = run.kernels.empty() ? nullptr : run.kernels.back().find(name);
  return m == nullptr ? 0 : m->value;
}

PipelineStage measure_stage(LaunchFile file, const PipelineOptions& o, unsigned stages) {
  PipelineStage stage;
  stage.stages = stages;
  if (frontend::content_of(read_file(file.ptx), file.ptx) == frontend::Content::kCuda)
    file.compiler_arguments.push_back(fmt::format("-D{}={}", o.macro, stages));
  for (LaunchSpec& entry : file.launches) entry.kernel = with_number(entry.kernel, stages);
  try {
    Simulator simulator(o.device);
    const RunReport run = simulator.run(file, o.launch);
    for (const ReportKernel& k : run.kernels)
      if (const ReportMetric* m = k.find("sm__cycles_elapsed.max"))
        stage.cycles += static_cast<uint64_t>(m->value);
    stage.occupancy_pct = metric_of(run, "sm__maximum_warps_per_active_cycle_pct");
    for (const char* part : {"static", "dynamic", "driver"})
      stage.shared_bytes += metric_of(run, (std::string("launch__shared_mem_per_block_") + part).c_str());
    const PipelineReport report = report_of(run);
    if (!report.launches.empty() && report.launches.back().main() != nullptr)
      stage.main = *report.launches.back().main();
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kUsage || e.kind() == ErrorKind::kInternal) throw;
    const std::string& text = e.message();
    stage.failure = text.substr(0, text.find('\n'));
  }
  return stage;
}

}  // namespace

MeasuredPipeline measure_pipeline(const LaunchFile& file, const PipelineOptions& options) {
  expect_stages(file, options);
  MeasuredPipeline measured;
  LaunchFile as_it_is = file;
  if (!options.stages.empty())
    for (LaunchSpec& entry : as_it_is.launches)
      entry.kernel = with_number(entry.kernel, options.stages.front());
  {
    Simulator simulator(options.device);
    measured.run = simulator.run(as_it_is, options.launch, options.save_folder);
    measured.config_yaml = yaml_text(simulator.device().config().tree());
  }
  measured.report = report_of(measured.run);
  measured.report.macro = options.macro;
  for (const unsigned stages : options.stages) {
    if (options.begins) options.begins(stages);
    measured.report.stages.push_back(measure_stage(file, options, stages));
  }
  return measured;
}

}  // namespace gpuloom::sim
