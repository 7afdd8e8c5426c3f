// SPDX-License-Identifier: Apache-2.0
// Runs of one launch with different switches of `ideal` on, each in a process of its own.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/memory/scratch_folder.h"
#include "sim/report/result.h"
#include "sim/runtime/device.h"
#include "sim/runtime/launch_file.h"
#include "sim/runtime/session.h"

namespace gpuloom::sim {

using SwitchSet = std::set<std::string>;  // keys that are true; empty: the machine as it is

class IdealRuns {
 public:
  struct Options {
    DeviceOptions device;
    LaunchOptions launch;
    std::string save_folder;  // for buffers that the launch file saves
    unsigned jobs = 1;
    double timeout_seconds = 0;                 // of a run; 0: none
    std::function<void(size_t, size_t)> ended;  // runs done, runs asked for so far
    std::function<bool()> go_on;                // asked all the time; false ends the runs
  };
  IdealRuns(const LaunchFile& file, Options options) : file_(file), options_(std::move(options)) {}

  // A run whose lines are wanted too. Those of the machine as it is always are.
  void want_lines(const SwitchSet& switches) { with_lines_.insert(switches); }
  // Runs those that have not been run yet. Throws Error where the machine as it is fails, with its message,
  // and kUsage where `go_on` ended them.
  void run(const std::vector<SwitchSet>& wanted);
  // Null where it failed or was not run.
  const RunReport* result(const SwitchSet& switches) const;
  const std::map<SwitchSet, std::string>& failures() const { return failures_; }
  size_t count() const { return results_.size() + failures_.size(); }

 private:
  int simulate(const SwitchSet& switches, const std::string& path) const;
  void take(const SwitchSet& switches, const std::string& path, int exit_code);

  const LaunchFile& file_;
  Options options_;
  ScratchFolder folder_;
  size_t asked_ = 0;
  std::set<SwitchSet> with_lines_{{}};
  std::map<SwitchSet, RunReport> results_;
  std::map<SwitchSet, std::string> failures_;
};

}  // namespace gpuloom::sim
