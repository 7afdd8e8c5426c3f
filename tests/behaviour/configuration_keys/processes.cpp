// SPDX-License-Identifier: Apache-2.0
#include "tests/behaviour/configuration_keys/processes.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"

namespace gpuloom::tests::keys {
namespace {

// What the processes share: the next job, and the one that each is at.
struct Board {
  std::atomic<size_t> next{0};
  std::atomic<size_t> at[64];
};

std::string file_of(const std::string& scratch, size_t job) { return scratch + "/job" + std::to_string(job); }

[[noreturn]] void work_off(Board& board, unsigned place, size_t count, unsigned seconds,
                           const std::string& scratch, const std::function<std::string(size_t)>& work) {
  for (const int s : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) signal(s, SIG_DFL);  // not Catch2's
  for (size_t job = board.next++; job < count; job = board.next++) {
    board.at[place] = job;
    alarm(seconds);
    const std::string result = work(job);
    alarm(0);
    std::ofstream(file_of(scratch, job), std::ios::binary) << result;
  }
  board.at[place] = count;
  _exit(0);
}

}  // namespace

std::vector<std::string> run_in_processes(size_t count, unsigned processes, unsigned seconds,
                                          const std::string& scratch,
                                          const std::function<std::string(size_t)>& work) {
  void* shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw Error(ErrorKind::kInternal, "no memory that processes could share");
  Board& board = *new (shared) Board;
  std::map<pid_t, unsigned> running;
  const auto begin = [&](unsigned place) {
    const pid_t pid = fork();
    if (pid < 0) throw Error(ErrorKind::kInternal, "no further process can be started");
    if (pid == 0) work_off(board, place, count, seconds, scratch, work);
    running[pid] = place;
  };
  std::vector<std::string> results(count);
  for (unsigned place = 0; place < processes; ++place) begin(place);
  while (!running.empty()) {
    int status = 0;
    const auto ended = running.find(waitpid(-1, &status, 0));
    if (ended == running.end()) continue;
    const unsigned place = ended->second;
    running.erase(ended);
    if (!WIFSIGNALED(status)) continue;
    const int number = WTERMSIG(status);
    results[board.at[place]] = number == SIGALRM
                                   ? "crashed: no end after " + std::to_string(seconds) + " seconds"
                                   : "crashed: signal " + std::to_string(number);
    begin(place);
  }
  munmap(shared, sizeof(Board));
  for (size_t job = 0; job < count; ++job) {
    if (!results[job].empty()) continue;
    std::ifstream in(file_of(scratch, job), std::ios::binary);
    results[job].assign(std::istreambuf_iterator<char>(in), {});
  }
  return results;
}

}  // namespace gpuloom::tests::keys
