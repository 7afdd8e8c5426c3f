// SPDX-License-Identifier: Apache-2.0
#include "sim/api/process_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/error.h"

namespace gpuloom::sim {
namespace {

using Clock = std::chrono::steady_clock;

struct Running {
  pid_t pid = 0;
  size_t job = 0;
  Clock::time_point begin;
  bool killed = false;
};

pid_t start(const ProcessJob& job) {
  std::vector<char*> argv;
  for (const std::string& word : job.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);  // or a child that works would write it once more
  const pid_t parent = getpid(), pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // jobs end with who asked for them
  if (getppid() != parent) _exit(127);
  const int file = open(job.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
  }
  if (job.work) {
    const int code = job.work();
    std::fflush(nullptr);
    _exit(code);
  }
  execv(argv[0], argv.data());
  _exit(127);
}

void kill_all(const std::vector<Running>& running) {
  for (const Running& r : running) kill(r.pid, SIGKILL);
  for (const Running& r : running)
    while (waitpid(r.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

std::vector<ProcessResult> run_processes(const std::vector<ProcessJob>& jobs, unsigned parallel,
                                         double timeout_seconds,
                                         const std::function<void(size_t, const ProcessResult&)>& done,
                                         const std::function<bool()>& waiting) {
  std::vector<ProcessResult> results(jobs.size());
  std::vector<Running> running;
  size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && running.size() < parallel) {
      const pid_t pid = start(jobs[next]);
      if (pid < 0) throw Error(ErrorKind::kInternal, "cannot start a process");
      running.push_back({pid, next++, Clock::now(), false});
    }
    bool ended = false;
    for (size_t i = 0; i < running.size();) {
      Running& r = running[i];
      int status = 0;
      // Only children of this pool are waited for.
      const pid_t pid = waitpid(r.pid, &status, WNOHANG);
      if (pid == 0 || (pid < 0 && errno == EINTR)) {
        if (timeout_seconds > 0 && !r.killed && seconds_since(r.begin) > timeout_seconds) {
          kill(r.pid, SIGKILL);
          r.killed = true;
        }
        ++i;
        continue;
      }
      ProcessResult& result = results[r.job];
      result.seconds = seconds_since(r.begin);
      result.timed_out = r.killed;
      result.ended = true;
      if (pid > 0 && WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
      if (pid > 0 && WIFSIGNALED(status)) result.signal = WTERMSIG(status);
      const size_t job = r.job;
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
      if (done) done(job, result);
      ended = true;
    }
    if (waiting && !waiting()) {
      kill_all(running);
      break;
    }
    if (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return results;
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace gpuloom::sim
