// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/session.h"

#include <fmt/core.h>

#include <chrono>

#include "base/config/config_changes.h"
#include "base/error.h"
#include "base/version.h"
#include "sim/runtime/launch_setup.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {
namespace {

void add_speed(uint64_t instructions, double launch_seconds, const Device& device, RunReport& report) {
  report.host.warp_instructions_per_second =
      launch_seconds > 0 ? static_cast<double>(instructions) / launch_seconds : 0;
  report.host.threads = device.options().host_threads();
}

// Lines of a timeline are those that the result's counters have, where the PTX knows of a source.
void name_places(const ptx::Program& program, LineRule rule, traces::Timeline& timeline) {
  for (size_t i = 0; i < timeline.instructions.size(); ++i) {
    const SourcePlace place = source_place(program, i, rule);
    if (place.line != 0) timeline.instructions[i] = fmt::format("{}:{}", place.file, place.line);
  }
}

// Of a finished launch: its timeline and, where the device analyses, how it used memory.
void add_observations(const LaunchOutcome& outcome, const ReportKernel& kernel, const Device& device,
                      const std::string& config, RunReport& report) {
  if (outcome.timed && outcome.timed->timeline) {
    name_places(*outcome.program, device.options().line_rule, *outcome.timed->timeline);
    report.timelines.push_back(outcome.timed->timeline);
  }
  if (outcome.timed && outcome.timed->intervals) report.intervals.push_back(outcome.timed->intervals);
  if (!outcome.accesses) return;
  report.accesses.push_back(*outcome.accesses);
  AccessReport& accesses = report.accesses.back();
  accesses.config = config;
  accesses.grid = kernel.grid;
  accesses.block = kernel.block;
}

class Session {
 public:
  Session(Device& device, const LaunchFile& file, const LaunchOptions& options,
          const std::string& save_folder)
      : device_(device), file_(file), options_(options), save_folder_(save_folder) {}

  RunReport run() {
    const auto begin = std::chrono::steady_clock::now();
    LaunchSetup setup(device_, file_, save_folder_);
    report_.provenance = provenance_of(device_, file_);
    for (const LaunchSpec& launch : file_.launches)
      if (report_.complete) report_.kernels.push_back(this->launch(setup, launch));
    setup.fetch_surfaces();
    if (report_.complete) setup.finish(report_);
    setup.describe(report_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    report_.host.wall_seconds = took.count();
    add_speed(instructions_, launch_seconds_, device_, report_);
    return std::move(report_);
  }

 private:
  ReportKernel launch(const LaunchSetup& setup, const LaunchSpec& spec) {
    const LaunchRequest r = setup.request(spec);
    LaunchOptions options = options_;
    const auto begin = std::chrono::steady_clock::now();
    // Only the last of the repeats is reported; from cold caches it does not depend on when the others ran.
    options.functional = options_.functional || options_.cold_caches;
    for (uint32_t k = 1; k < spec.repeat && report_.complete; ++k)
      report_.complete = device_.launch(r, options).complete;
    options.functional = options_.functional;
    const LaunchOutcome outcome = device_.launch(r, options);
    report_.complete = report_.complete && outcome.complete;
    launch_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    instructions_ += outcome.warp_instructions;
    ReportKernel kernel = report_kernel(device_, r, outcome);
    add_observations(outcome, kernel, device_, report_.provenance.config, report_);
    kernel.repeat = spec.repeat;
    return kernel;
  }

  Device& device_;
  const LaunchFile& file_;
  const LaunchOptions& options_;
  const std::string& save_folder_;
  RunReport report_;
  double launch_seconds_ = 0;
  uint64_t instructions_ = 0;
};

}  // namespace

ReportProvenance provenance_of(const Device& device, const LaunchFile& file) {
  ReportProvenance p;
  p.version = std::string(version());
  p.sources = std::string(source_digest());
  for (const ConfigChange& c : changes_of(device.config(), device.gpu().name))
    p.changes.push_back({c.key, c.from, c.to});
  p.config = changed_name(device.gpu().name, p.changes.size());
  p.config_sha256 = device.config().digest();
  p.ptx = file.ptx;
  p.launch = file.path;
  const bool timed = device.options().mode == Mode::kTimed;
  p.mode = timed ? "timed" : "functional";
  if (timed) p.lowering = device.options().lowering == Lowering::kMachine ? "machine" : "none";
  return p;
}

RunReport report_launch(Device& device, const LaunchRequest& request, const LaunchOptions& options,
                        const ReportProvenance& origin) {
  const auto begin = std::chrono::steady_clock::now();
  const LoadedModule& module = *request.kernel->module;
  RunReport report;
  const LaunchOutcome outcome = device.launch(request, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.complete = outcome.complete;
  report.kernels.push_back(report_kernel(device, request, outcome));
  report.provenance = origin;
  report.provenance.ptx = module.module().file_name;
  if (!outcome.timed) {
    report.provenance.mode = "functional";
    report.provenance.lowering.clear();
  }
  report.provenance.ptx_sha256 = module.sha256();
  add_observations(outcome, report.kernels.back(), device, report.provenance.config, report);
  add_remarks(device, report);
  add_speed(outcome.warp_instructions, seconds, device, report);
  report.host.wall_seconds = seconds;
  return report;
}

RunReport run_launch_file(Device& device, const LaunchFile& file, const LaunchOptions& options,
                          const std::string& save_folder) {
  return Session(device, file, options, save_folder).run();
}

bool verified(const RunReport& run) {
  for (const ReportCheck& check : run.checks)
    if (!check.passed) return false;
  return true;
}

}  // namespace gpuloom::sim
