// SPDX-License-Identifier: Apache-2.0
// Points on other machines. Both need the sweep's directory and the program under the same paths there.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/api/sweep/sweep_run.h"

namespace gpuloom::sim {

// Through a Dask scheduler: a client in Python (scripts/sweep_dask.py) gives a point to each worker thread;
// the scheduler gives the points of a worker that dies to others. `tick` is called some hundred times a
// second.
void run_on_dask(const SweepStore& store, const SweepRunOptions& options, const std::vector<std::string>& ids,
                 const std::function<bool()>& tick);

// As one job array. Waits until nothing is `left` or the job has gone.
void run_on_slurm(const SweepStore& store, const SweepRunOptions& options,
                  const std::vector<std::string>& ids, const std::function<bool()>& tick,
                  const std::function<size_t()>& left);

}  // namespace gpuloom::sim
