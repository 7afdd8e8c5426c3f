// SPDX-License-Identifier: Apache-2.0
// A device as Python uses it: safe from several threads, its timed launches taking turns with those of other
// devices.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/trace_file.h"
#include "sim/python/bindings.h"
#include "sim/runtime/device.h"
#include "sim/runtime/session.h"
#include "sim/streams/stream_work.h"

namespace gpuloom::python {

struct LaunchArguments : sim::LaunchOptions {
  Extent grid{1, 1, 1}, block{1, 1, 1};
  std::optional<Extent> cluster;
  uint32_t dynamic_shared = 0;
  std::optional<uint32_t> max_dynamic_shared, carveout;
  bool nonportable_cluster = true, cooperative = false;
  std::optional<sim::PolicyWindow> window;
};

// Looks at signals and asks the caller's function; what either throws waits here until the run has ended.
class Watch {
 public:
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}
  bool go_on(const sim::RunProgress& p);
  py::object raised() const { return raised_; }  // what was raised, or None

 private:
  using Clock = std::chrono::steady_clock;
  py::object progress_, raised_ = py::none();
  Clock::time_point looked_ = Clock::now();
};

class PyDevice {
 public:
  // With a trace, its file is written anew after each launch.
  PyDevice(const sim::DeviceOptions& options, sim::TraceChoice trace);
  PyDevice(const PyDevice&) = delete;
  PyDevice& operator=(const PyDevice&) = delete;
  ~PyDevice();

  RunReport launch(sim::Kernel& kernel, const LaunchArguments& a, const std::vector<py::bytes>& args,
                   Watch& watch);
  sim::LaunchRequest request(sim::Kernel& kernel, const LaunchArguments& a,
                             const std::vector<py::bytes>& args);
  RunReport run_file(const sim::LaunchFile& file, sim::LaunchOptions options, const std::string& save_folder,
                     Watch& watch);

  // Runs `action` while no other thread uses the device; without the interpreter's lock.
  template <class Action>
  auto alone(Action action) {
    const py::gil_scoped_release released;
    const std::lock_guard<std::mutex> locked(mutex_);
    return action(device_);
  }
  // The same once nothing is under way on the device's streams: for memory that they may use.
  template <class Action>
  auto at_rest(Action action) {
    settle();
    return alone(action);
  }
  const sim::Device& device() const { return device_; }

  // Calls of the device's streams; `generation` is that of the handle which the call came by. Signals are
  // looked at meanwhile. Throws Error (kUsage) where the streams are gone, or another device has some.
  void on_streams(uint64_t generation, const std::function<void(host::StreamWork&)>& action);
  uint64_t generation() const { return generation_; }
  // For launches on streams: whoever waits looks at signals.
  sim::RunProgressFn progress();
  sim::DeviceMemory& memory_of_streams() { return device_.memory(); }
  // Of a launch that has ended.
  std::optional<RunReport> report_of(size_t place);
  RunReport program();
  // Streams, events and the architecture model go; memory and modules stay.
  void close();

 private:
  void settle();
  std::unique_lock<std::mutex> take_turn();
  void take_back();  // the turn, which the caller has: no device is the owner
  void write_trace(const RunReport& run);

  std::mutex mutex_;
  sim::Device device_;
  sim::TraceChoice trace_;
  ReportProvenance origin_;  // of every launch
  std::vector<std::shared_ptr<const traces::Timeline>> traced_;
  std::unique_ptr<host::StreamWork> work_;  // from the first call that needs it
  uint64_t generation_ = 1;
  std::map<size_t, RunReport> reports_;  // of launches on streams, by place
  Watch* watch_ = nullptr;               // of the call under way
};

// A kernel, and the device that it is loaded on.
struct PyKernel {
  PyDevice* device;
  sim::Kernel* kernel;
};

void bind_streams(py::module_& m, py::class_<PyDevice>& device);

}  // namespace gpuloom::python
