// SPDX-License-Identifier: Apache-2.0
// Running what a sweep has left, here or on other machines. Every backend runs the same command,
// `gpuloom sweep point DIR ID`, so that nothing is lost or done twice whoever dies.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/api/sweep/sweep_store.h"

namespace gpuloom::sim {

enum class SweepBackend : uint8_t { kLocal, kDask, kSlurm };

struct SweepProgress {
  size_t points = 0, done = 0, failed = 0, running = 0;  // of the sweep
  size_t done_now = 0;                                   // by this run
};

struct SweepRunOptions {
  SweepBackend backend = SweepBackend::kLocal;
  unsigned jobs = 1;           // local: processes; Slurm: tasks at a time, 0 for as many as there are
  double timeout_seconds = 0;  // a point; 0: none
  bool retry_failed = false;
  std::string scheduler;                    // Dask: tcp://host:port
  std::string python = "python3";           // Dask: one that has distributed
  std::vector<std::string> sbatch_options;  // Slurm
  bool wait = true;                         // Slurm: until all is done, not only submitted
  // Asked a few times a second; false ends the run: points under way are left, jobs of Slurm stay submitted.
  std::function<bool()> go_on;
  std::function<void(const SweepProgress&)> progress;
  std::function<void(const SweepManifest::Point&, const PointFailure&)> failed;
  std::function<void(const std::string&)> note;
};

struct SweepSummary {
  size_t points = 0, done_before = 0, done = 0, failed = 0;
  size_t left = 0;    // neither done nor failed: whoever ran them was killed
  int exit_code = 0;  // 0; of the first point that failed; 5 where points are left
};

// Throws Error: kUsage for options that do not fit, kInput where the backend's program is not there or
// refuses.
SweepSummary run_sweep(const SweepStore& store, const SweepRunOptions& options);

}  // namespace gpuloom::sim
