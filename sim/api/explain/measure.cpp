// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/measure.h"

#include <fmt/core.h>

#include "base/error.h"
#include "sim/api/process_pool.h"
#include "sim/api/simulator.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"

namespace gpuloom::sim {
namespace {

constexpr const char* kMadePtx = ".ptx";  // beside a result: what was compiled for it

}  // namespace

// In a process of its own; its result, or its message, goes to a file.
int IdealRuns::simulate(const SwitchSet& switches, const std::string& path) const {
  try {
    DeviceOptions device = options_.device;
    for (const std::string& key : switches) device.overrides.push_back(key + "=true");
    device.per_instruction = with_lines_.contains(switches);
    Simulator simulator(device);
    const std::string save = switches.empty() ? options_.save_folder : folder_.path();
    const RunReport report = simulator.run(file_, options_.launch, save);
    write_file(path, result_json(report));
    if (switches.empty() && !report.made_ptx.empty()) write_file(path + kMadePtx, report.made_ptx);
    return 0;
  } catch (const Error& e) {
    write_file(path, e.what());
    return static_cast<int>(e.kind());
  } catch (const std::exception& e) {
    write_file(path, std::string("internal error: ") + e.what());
    return static_cast<int>(ErrorKind::kInternal);
  }
}

void IdealRuns::take(const SwitchSet& switches, const std::string& path, int exit_code) {
  if (exit_code == 0) {
    RunReport report = parse_result_json(read_file(path), path);
    if (file_exists(path + kMadePtx)) report.made_ptx = read_file(path + kMadePtx);
    results_.emplace(switches, std::move(report));
    return;
  }
  const std::string text = file_exists(path) ? read_file(path) : "the run was killed";
  if (switches.empty()) {
    const bool known = exit_code > 0 && exit_code <= static_cast<int>(ErrorKind::kProgram);
    throw Error(known ? static_cast<ErrorKind>(exit_code) : ErrorKind::kInternal, text);
  }
  failures_.emplace(switches, text);
}

void IdealRuns::run(const std::vector<SwitchSet>& wanted) {
  std::vector<SwitchSet> sets;
  std::set<SwitchSet> seen;
  for (const SwitchSet& s : wanted)
    if (!results_.contains(s) && !failures_.contains(s) && seen.insert(s).second) sets.push_back(s);
  std::vector<ProcessJob> jobs;
  std::vector<std::string> paths;
  for (size_t i = 0; i < sets.size(); ++i) {
    paths.push_back(fmt::format("{}/{}.json", folder_.path(), asked_ + i));
    ProcessJob job;
    job.work = [this, set = sets[i], path = paths[i]] { return simulate(set, path); };
    job.output = fmt::format("{}/{}.log", folder_.path(), asked_ + i);
    jobs.push_back(std::move(job));
  }
  asked_ += sets.size();
  const auto done = [&](size_t i, const ProcessResult& r) {
    take(sets[i], paths[i], r.timed_out ? static_cast<int>(ErrorKind::kProgram) : r.exit_code);
    if (options_.ended) options_.ended(count(), asked_);
  };
  const auto results = run_processes(jobs, options_.jobs, options_.timeout_seconds, done, options_.go_on);
  for (const ProcessResult& r : results)
    if (!r.ended) throw Error(ErrorKind::kUsage, "the runs were stopped before all were done");
}

const RunReport* IdealRuns::result(const SwitchSet& switches) const {
  const auto at = results_.find(switches);
  return at == results_.end() ? nullptr : &at->second;
}

}  // namespace gpuloom::sim
