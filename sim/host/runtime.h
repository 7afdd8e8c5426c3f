// SPDX-License-Identifier: Apache-2.0
// The runtime of one CUDA program: what it has registered, its device's context, its end.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/host/context.h"

namespace gpuloom::host {

// Of cudaLimit.
constexpr int kLimitStack = 0, kLimitPrintf = 1, kLimitHeap = 2, kLimitSyncDepth = 3,
              kLimitPendingLaunches = 4, kLimitFetch = 5, kLimitPersistingL2 = 6;

class Runtime {
 public:
  explicit Runtime(Settings settings);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // One caller at a time; host functions run without it.
  std::mutex& mutex() { return mutex_; }
  const Settings& settings() const { return settings_; }
  Programs& programs() { return programs_; }
  // Of the device, made by the first call that needs it. Throws Error.
  Context& context();
  bool has_context() const { return context_ != nullptr; }
  // What CUDA_VISIBLE_DEVICES leaves of the devices that there are.
  int device_count() const { return static_cast<int>(visible_.size()); }
  static constexpr int kInstalled = 1;
  // Throws Failure (kNoDevice), and says once why, where the program sees none.
  void require_some_device();
  // cudaDeviceReset: everything of the context goes; the next call makes a new one.
  void reset();
  // The calling thread runs a host function of the program.
  bool in_host_function() const {
    return std::find(in_functions_.begin(), in_functions_.end(), std::this_thread::get_id()) !=
           in_functions_.end();
  }
  // A fault has been told to the program: from now on every call that touches the device answers it.
  int lost() const { return lost_; }
  void lose(int status) { lost_ = status; }

  // What a program has set and may read again: cudaSetDeviceFlags, cudaDeviceSetLimit by cudaLimit.
  unsigned flags = 0;
  std::map<int, size_t> limits;

  // Writes results; once. `ended` says why the program ends: "exit", "out of time".
  void finish(const std::string& ended);

 private:
  void remember_provenance();

  Settings settings_;
  std::vector<int> visible_;  // numbers of the devices that the program sees
  bool said_none_ = false;
  ReportProvenance provenance_;  // of result.json
  std::mutex mutex_;
  Programs programs_;
  std::unique_ptr<Records> records_;
  std::unique_ptr<Context> context_;
  std::vector<std::thread::id> in_functions_;
  int lost_ = 0;
  Time before_reset_ = 0;  // simulated time of contexts that are gone
  bool used_ = false;      // there is or was a context
  bool finished_ = false;
};

}  // namespace gpuloom::host
