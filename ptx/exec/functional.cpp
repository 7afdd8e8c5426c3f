// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/functional.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "base/demangle.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/group_runner.h"

namespace gpuloom::ptx {
namespace {

// Instructions that a launch takes on one thread before others help: some milliseconds, to which making
// threads adds little.
constexpr uint64_t kAlone = 1 << 16;
// How often FunctionalOptions::progress is asked while the launch's own thread has nothing to do.
constexpr std::chrono::milliseconds kReportEvery{50};

// A program's signals are its own threads' business: those made meanwhile take only what they cause
// themselves.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, own);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// Threads that run groups beside the launch's own. They live as long as the launch: one may be the last of a
// process that forks, and most launches are too short for any.
class Helpers {
 public:
  Helpers(GridWork& work, unsigned count, GroupRunner& own) : work_(work) {
    for (unsigned k = 0; k < count; ++k) {
      runners_.push_back(std::make_unique<GroupRunner>(work, false));
      runners_.back()->share_with(count + 1);
    }
    own.share_with(count + 1);
    threads_.reserve(count);
    const WithoutSignals without;
    running_ = count;
    for (unsigned k = 0; k < count; ++k) {
      try {
        threads_.emplace_back([this, k] { work_on(*runners_[k]); });
      } catch (const std::system_error&) {  // no more to be had: those that run will do
        const std::lock_guard guard(lock_);
        running_ -= count - k;
        break;
      }
    }
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }

  // Waits until all have ended, and asks for progress meanwhile.
  void wait(GroupRunner& own) {
    while (!ended_within(kReportEvery)) own.report();
  }
  void wait() {
    while (!ended_within(kReportEvery)) {
    }
  }
  void add_to(FunctionalResult& result) {
    result.threads += static_cast<unsigned>(threads_.size());
    for (const auto& runner : runners_) {
      const FunctionalResult part = runner->result();
      result.warp_instructions += part.warp_instructions;
      result.thread_instructions += part.thread_instructions;
      result.blocks += part.blocks;
      for (size_t i = 0; i < result.executed.size(); ++i) {
        result.executed[i] += part.executed[i];
        result.thread_executed[i] += part.thread_executed[i];
      }
    }
  }

 private:
  bool ended_within(std::chrono::milliseconds time) {
    std::unique_lock guard(lock_);
    return ended_.wait_for(guard, time, [this] { return running_ == 0; });
  }
  void work_on(GroupRunner& runner) {
    try {
      runner.run();
    } catch (...) {  // not of a group: no memory for one
      work_.failed(0, std::current_exception());
    }
    const std::lock_guard guard(lock_);
    --running_;
    ended_.notify_one();
  }

  GridWork& work_;
  std::vector<std::unique_ptr<GroupRunner>> runners_;
  std::vector<std::thread> threads_;
  std::mutex lock_;
  std::condition_variable ended_;
  unsigned running_ = 0;
};

unsigned threads_of(const FunctionalOptions& options) {
  return options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
}

// The rest of a grid on several threads. False: interrupted.
bool share(GridWork& work, GroupRunner& own, unsigned threads, FunctionalResult& result) {
  work.launch.concurrent = true;
  bool complete = true;
  Helpers helpers(work, static_cast<unsigned>(std::min<uint64_t>(threads - 1, work.left())), own);
  try {
    own.run();
    helpers.wait(own);
  } catch (const Interrupted&) {
    complete = false;
    work.stop();
    helpers.wait();
  } catch (...) {
    work.stop();
    throw;
  }
  result = own.result();
  helpers.add_to(result);
  return complete;
}

}  // namespace

FunctionalResult run_functional(Launch& launch, const FunctionalOptions& options) {
  launch.timeless = true;
  GridWork work(launch, options);
  GroupRunner own(work, true);
  FunctionalResult result;
  const unsigned threads = threads_of(options);
  bool complete = true;
  try {
    const bool ended = own.run(threads > 1 ? kAlone : UINT64_MAX);
    if (!ended && work.left() != 0 && work.independent()) {
      complete = share(work, own, threads, result);
    } else {
      if (!ended) own.run();
      result = own.result();
    }
  } catch (const Interrupted&) {
    complete = false;
    result = own.result();
  }
  if (!complete && !options.keep_partial)
    throw Error(ErrorKind::kUsage, "kernel '" + short_name(launch.program->name) + "' was interrupted");
  work.rethrow();
  result.complete = complete;
  return result;
}

}  // namespace gpuloom::ptx
