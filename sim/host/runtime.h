// SPDX-License-Identifier: Apache-2.0
// The runtime of one CUDA program: what it has registered, its devices' contexts, its end.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/host/context.h"
#include "sim/runtime/shared_machines.h"

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
  // Of a device, made by the first call that needs it. Throws Error.
  Context& context(unsigned device);
  bool has_context(unsigned device) const { return contexts_[device] != nullptr; }
  // What CUDA_VISIBLE_DEVICES leaves of the devices that there are.
  int device_count() const { return static_cast<int>(settings_.places.size()); }
  // Those that have a context whether the program sees one or not (NVML).
  unsigned known_devices() const { return static_cast<unsigned>(contexts_.size()); }
  // Throws Failure (kNoDevice), and says once why, where the program sees none.
  void require_some_device();
  // A thread calls, so long after its last call.
  void enter(uint64_t thread, double own_code_ns);
  // Of the device that made the memory, else `otherwise`.
  Context& owner_of(uint64_t address, Context& otherwise);
  template <class F>
  void for_each_context(F&& f) {
    for (const auto& context : contexts_)
      if (context != nullptr) f(*context);
  }
  // cudaDeviceReset: everything of the context goes; the next call makes a new one.
  void reset(unsigned device);
  // The calling thread runs a host function of the program.
  bool in_host_function() const {
    return std::find(in_functions_.begin(), in_functions_.end(), std::this_thread::get_id()) !=
           in_functions_.end();
  }
  // A fault has been told to the program: from now on every call that touches the device answers it.
  int lost(unsigned device) const { return lost_[device]; }
  void lose(int status);

  // What a program has set and may read again: cudaSetDeviceFlags, cudaDeviceSetLimit by cudaLimit.
  unsigned flags = 0;
  std::map<int, size_t> limits;

  // Writes results; once. `ended` says why the program ends: "exit", "out of time".
  void finish(const std::string& ended);
  // What has been recorded cannot be written: its files go.
  void drop_records() { records_.reset(); }

 private:
  Context& make_context(unsigned device);
  std::string devices_there() const;
  void remember_provenance(Context& context);

  Settings settings_;
  bool said_none_ = false;
  ReportProvenance provenance_;  // of result.json
  std::mutex mutex_;
  Programs programs_;
  std::unique_ptr<Records> records_;
  HostCode host_code_;
  HostClock clock_;
  std::vector<std::unique_ptr<Context>> contexts_;  // by device
  sim::SharedMachines machines_;                    // of several
  std::vector<std::thread::id> in_functions_;
  std::vector<int> lost_;  // by device
  Time before_reset_ = 0;  // simulated time of clocks that are gone
  bool used_ = false;      // there is or was a context
  bool finished_ = false;
};

}  // namespace gpuloom::host
