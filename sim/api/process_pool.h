// SPDX-License-Identifier: Apache-2.0
// Commands, or work, in child processes, several at a time: one simulation a process, so that a crash or a
// hang takes nothing else with it.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace gpuloom::sim {

struct ProcessJob {
  std::vector<std::string> command;  // program and arguments
  std::string output;                // file that takes stdout and stderr
  // Instead of a command: what the process does, and its exit code. Only where no other thread runs.
  std::function<int()> work;
};

struct ProcessResult {
  int exit_code = -1;  // -1: killed by a signal or not started
  int signal = 0;
  bool timed_out = false;
  bool ended = false;  // by itself or by its timeout
  double seconds = 0;
};

// Runs the jobs in order, `parallel` at a time; `done` is called as each ends, in the order in which they
// end. A job that takes longer than `timeout_seconds` (0: no limit) is killed. `waiting` is called every few
// milliseconds; where it returns false, jobs that run are killed, and those and the ones that had not begun
// are left out (ProcessResult::ended). Jobs are killed when this process dies.
std::vector<ProcessResult> run_processes(const std::vector<ProcessJob>& jobs, unsigned parallel,
                                         double timeout_seconds,
                                         const std::function<void(size_t, const ProcessResult&)>& done = {},
                                         const std::function<bool()>& waiting = {});

// Path of the running program.
std::string own_program();

}  // namespace gpuloom::sim
