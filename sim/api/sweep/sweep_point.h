// SPDX-License-Identifier: Apache-2.0
// One point of a sweep, from anywhere and any number of times: the command that every backend runs.
#pragma once
#include <string>

#include "sim/api/sweep/sweep_store.h"

namespace gpuloom::sim {

// Runs a point unless its result is there, in a process of its own whose output goes to the point's log;
// another one that runs the same point is waited for. Returns 0 with a result. Where the point failed, it
// returns the exit code of the simulation (70 after a crash, 5 after a timeout), and the failure is recorded.
// Where it was killed from outside, it returns minus the signal, and the point is as if it had never begun.
// `timeout_seconds`: 0 for none. Call it where no other thread runs.
int run_point(const SweepStore& store, const std::string& id, double timeout_seconds);

}  // namespace gpuloom::sim
