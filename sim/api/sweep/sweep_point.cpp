// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_point.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/version.h"
#include "sim/api/simulator.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"

namespace gpuloom::sim {
namespace {

using Clock = std::chrono::steady_clock;

// The simulation, in the process of its own. Returns the exit code.
int simulate_point(const SweepStore& store, const std::string& id) {
  try {
    const PointRecipe recipe = store.recipe(id);
    if (recipe.sources != source_digest())  // the program was built anew while a sweep ran
      throw Error(
          ErrorKind::kInput,
          fmt::format("the point was planned for another build of gpuloom (sources {}, this one has {})",
                      recipe.sources, source_digest()));
    const LaunchFile file = read_launch_file(recipe.launch);
    DeviceOptions options;
    options.config = recipe.config;
    options.mode = recipe.mode;
    options.lowering = recipe.lowering;
    options.per_instruction = false;
    options.limits.stack_bytes = file.stack_limit.value_or(options.limits.stack_bytes);
    options.limits.heap_bytes = file.heap_limit.value_or(options.limits.heap_bytes);
    Simulator simulator(options);
    std::string saved;
    const auto saves = [](const BufferSpec& b) { return !b.save.empty(); };
    if (std::any_of(file.buffers.begin(), file.buffers.end(), saves)) {
      saved = store.directory() + "/saved/" + id;
      make_folder(saved);
    }
    const RunReport report = simulator.run(file, {}, saved);
    for (const ReportCheck& check : report.checks)
      if (!check.passed)
        std::fprintf(stderr, "gpuloom: verification of '%s' failed: %s\n", check.buffer.c_str(),
                     check.first.c_str());
    if (!verified(report)) return static_cast<int>(ErrorKind::kVerification);
    store.write_result(id, result_json(report));
    return 0;
  } catch (const Error& e) {
    std::fprintf(stderr, "gpuloom: %s\n", e.what());
    return static_cast<int>(e.kind());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gpuloom: internal error: %s\n", e.what());
    return static_cast<int>(ErrorKind::kInternal);
  }
}

// Opens the log and waits until nobody else runs the point. -1: no log.
int take_log(const std::string& path) {
  const int log = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  // A file system without locks costs no more than a point that runs twice, to the same result.
  while (log >= 0 && flock(log, LOCK_EX) != 0 && errno == EINTR) {
  }
  return log;
}

[[noreturn]] void become_simulation(const SweepStore& store, const std::string& id, int log, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would record what happens after the parent's death
  if (getppid() != parent) _exit(1);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  const int code = simulate_point(store, id);
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(code);
}

}  // namespace

int run_point(const SweepStore& store, const std::string& id, double timeout_seconds) {
  store.recipe(id);  // refuses an id that is not planned
  if (store.state(id) == PointState::kDone) return 0;
  const int log = take_log(store.log_path(id));
  if (log < 0)
    throw Error(ErrorKind::kInput, "cannot write '" + store.log_path(id) + "': " + std::strerror(errno));
  if (std::filesystem::exists(store.result_path(id))) {
    close(log);
    return 0;
  }
  if (ftruncate(log, 0) != 0) lseek(log, 0, SEEK_END);
  store.forget_failure(id);
  std::fflush(nullptr);
  const Clock::time_point begin = Clock::now();
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw Error(ErrorKind::kInternal, "cannot start a process");
  if (child == 0) become_simulation(store, id, log, parent);
  PointFailure f;
  int status = 0;
  for (auto pause = std::chrono::milliseconds(1); waitpid(child, &status, WNOHANG) == 0;
       std::this_thread::sleep_for(pause)) {
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
    f.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (timeout_seconds <= 0 || f.seconds <= timeout_seconds || f.timed_out) continue;
    kill(child, SIGKILL);
    f.timed_out = true;
  }
  f.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  f.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ErrorKind::kInternal);
  f.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  int code = f.exit_code;
  if (std::filesystem::exists(store.result_path(id))) {
    code = 0;  // also where it was killed after it had written the result
  } else if (f.timed_out) {
    code = f.exit_code = static_cast<int>(ErrorKind::kProgram);
    store.write_failure(id, f);
  } else if (f.signal == SIGKILL || f.signal == SIGTERM || f.signal == SIGINT || f.signal == SIGHUP) {
    code = -f.signal;
  } else {
    store.write_failure(id, f);
  }
  close(log);
  return code;
}

}  // namespace gpuloom::sim
