// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_remote.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/config/config.h"
#include "base/text.h"
#include "sim/api/process_pool.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

namespace fs = std::filesystem;

std::string lines(const std::vector<std::string>& words) { return join(words, "\n") + "\n"; }

std::string absolute(const SweepStore& store) { return fs::canonical(store.directory()).string(); }

// A folder for the files of one submission, so that two do not meet.
std::string fresh_folder(const SweepStore& store, const char* name) {
  make_folder(store.directory() + "/" + name);
  for (int n = 1;; ++n) {
    const std::string folder = fmt::format("{}/{}/{}", absolute(store), name, n);
    if (fs::create_directory(folder)) return folder;
  }
}

// Runs a command of the system to its end; what it prints goes to `output`. `tick` is called meanwhile, and
// ends the command by returning false: nothing is returned then.
std::optional<int> run_tool(const std::vector<std::string>& words, const std::string& output,
                            const std::function<bool()>& tick = {}) {
  ProcessJob job{{"/usr/bin/env"}, output};
  job.command.insert(job.command.end(), words.begin(), words.end());
  const ProcessResult result = run_processes({job}, 1, 0, {}, tick)[0];
  return result.ended ? std::optional<int>(result.exit_code) : std::nullopt;
}

[[noreturn]] void refused(const std::string& what, const std::string& output, const std::string& hint) {
  throw Error(ErrorKind::kInput, fmt::format("{}:\n{}", what, tail_of_file(output, 8)), {}, hint);
}

}  // namespace

void run_on_dask(const SweepStore& store, const SweepRunOptions& options, const std::vector<std::string>& ids,
                 const std::function<bool()>& tick) {
  if (options.scheduler.empty())
    throw Error(ErrorKind::kUsage, "--backend dask needs the address of a scheduler", {},
                "--scheduler tcp://HOST:8786, as `dask-scheduler` prints it");
  const std::string client = config_directory() + "/../scripts/sweep_dask.py";
  if (!fs::exists(client)) throw Error(ErrorKind::kInput, "the Dask client is not at '" + client + "'");
  const std::string folder = fresh_folder(store, "dask");
  write_durably(folder + "/points", lines(ids));
  const std::optional<int> code =
      run_tool({options.python, client, "--scheduler", options.scheduler, "--program", own_program(),
                "--directory", absolute(store), "--points", folder + "/points", "--timeout",
                fmt::format("{}", options.timeout_seconds)},
               folder + "/log", tick);
  if (!code) return;
  if (code == 3 && options.note)
    options.note("no worker survived to run some of the points:\n" + tail_of_file(folder + "/log", 8));
  if (code != 0 && code != 3)
    refused(
        fmt::format("the Dask client ended with exit code {}", *code), folder + "/log",
        "it needs a Python with distributed (--python), and a scheduler that runs at " + options.scheduler);
}

void run_on_slurm(const SweepStore& store, const SweepRunOptions& options,
                  const std::vector<std::string>& ids, const std::function<bool()>& tick,
                  const std::function<size_t()>& left) {
  // Slurm's MaxArraySize is 1001 unless a site says otherwise; more points share tasks.
  const size_t tasks = std::min<size_t>(ids.size(), 1000);
  const std::string folder = fresh_folder(store, "slurm");
  write_durably(folder + "/points", lines(ids));
  write_durably(
      folder + "/job.sh",
      fmt::format("#!/bin/sh\n"
                  "# Task t of {0} runs the points t, t + {0}, t + 2 * {0}, ... of the list.\n"
                  "worst=0\n"
                  "for id in $(awk -v t=\"$SLURM_ARRAY_TASK_ID\" 'NR % {0} == t % {0}' '{1}/points'); do\n"
                  "  '{2}' sweep point '{3}' \"$id\" --quiet --timeout {4} || worst=$?\n"
                  "done\n"
                  "exit $worst\n",
                  tasks, folder, own_program(), absolute(store), options.timeout_seconds));
  const std::string limit = options.jobs == 0 ? "" : fmt::format("%{}", options.jobs);
  std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=gpuloom-sweep",
                                    fmt::format("--array=1-{}{}", tasks, limit),
                                    fmt::format("--output={}/task-%a.log", folder)};
  words.insert(words.end(), options.sbatch_options.begin(), options.sbatch_options.end());
  words.push_back(folder + "/job.sh");
  if (run_tool(words, folder + "/sbatch.log") != 0)
    refused("sbatch refused the job array", folder + "/sbatch.log",
            "--sbatch passes options, such as a partition");
  // "12", or "12;cluster"
  const std::string job = split(std::string(trim(read_file(folder + "/sbatch.log"))), ';')[0];
  if (options.note)
    options.note(fmt::format("job array {} of {} tasks submitted; its files are in {}", job, tasks, folder));
  if (!options.wait) return;
  auto next_look = std::chrono::steady_clock::now();
  auto pause = std::chrono::milliseconds(500);
  while (left() != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!tick()) {
      if (options.note) options.note(fmt::format("the job array {} goes on; scancel {} ends it", job, job));
      return;
    }
    if (std::chrono::steady_clock::now() < next_look) continue;
    // A scheduler is not to be asked often.
    pause = std::min(pause * 2, std::chrono::milliseconds(30000));
    next_look = std::chrono::steady_clock::now() + pause;
    const bool answered = run_tool({"squeue", "--noheader", "--jobs=" + job}, folder + "/squeue.log") == 0;
    const std::string said =
        answered ? read_file(folder + "/squeue.log") : tail_of_file(folder + "/squeue.log", 3);
    // A job that has ended is forgotten after some minutes: its number is then invalid.
    if (answered ? trim(said).empty() : said.find("Invalid job id") != std::string::npos) break;
  }
}

}  // namespace gpuloom::sim
