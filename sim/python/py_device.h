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
#include "sim/runtime/shared_machines.h"
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

class PyDevice;

// Devices on one timeline: one, or several that reach each other's memory.
class PyTeam {
 public:
  struct Member {
    sim::DeviceOptions options;
    sim::TraceChoice trace;
  };
  explicit PyTeam(std::vector<Member> members);
  PyTeam(const PyTeam&) = delete;
  PyTeam& operator=(const PyTeam&) = delete;
  ~PyTeam();

  PyDevice& device(size_t k) { return *devices_.at(k); }
  bool several() const { return devices_.size() > 1; }
  std::mutex& mutex() { return mutex_; }
  host::HostClock& clock() { return clock_; }
  // Whose memory it is.
  PyDevice& owner_of(uint64_t address) const;
  bool have_streams() const;
  uint64_t generation() const { return generation_; }
  // Of the call under way.
  Watch* watch() const { return watch_; }
  void watch(Watch* watch) { watch_ = watch; }
  // The turn of timed work, which teams of a process take one after another.
  std::unique_lock<std::mutex> take_turn();
  // Streams, events and the architecture model of all go; memory and modules stay.
  void close();
  // What all have done on their streams.
  RunReport program();
  // All that any of them has been asked for is carried out.
  void settle();

 private:
  std::vector<sim::Device*> all() const;
  void release();
  void give_turn_back();  // the caller has it: no team is the owner any more

  std::mutex mutex_;
  host::HostClock clock_;
  sim::SharedMachines machines_;
  std::vector<std::unique_ptr<PyDevice>> devices_;
  uint64_t generation_ = 1;
  Watch* watch_ = nullptr;
};

class PyDevice {
 public:
  // With a trace, its file is written anew after each launch.
  PyDevice(PyTeam& team, const sim::DeviceOptions& options, sim::TraceChoice trace);
  PyDevice(const PyDevice&) = delete;
  PyDevice& operator=(const PyDevice&) = delete;

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
    const std::lock_guard<std::mutex> locked(team_.mutex());
    return action(device_);
  }
  // The same once nothing is under way on the streams of its team: for memory that they may use.
  template <class Action>
  auto at_rest(Action action) {
    team_.settle();
    return alone(action);
  }
  const sim::Device& device() const { return device_; }
  PyTeam& team() { return team_; }

  // Calls of the device's streams; `generation` is that of the handle which the call came by. Signals are
  // looked at meanwhile. Throws Error (kUsage) where the streams are gone, or another device has some.
  void on_streams(uint64_t generation, const std::function<void(host::StreamWork&)>& action);
  uint64_t generation() const { return team_.generation(); }
  // For launches on streams: whoever waits looks at signals.
  sim::RunProgressFn progress();
  sim::DeviceMemory& memory_of_streams() { return device_.memory(); }
  // Within on_streams() of any device of the team.
  host::StreamWork& work_of_streams() {
    make_work();
    return *work_;
  }
  // Of a launch that has ended.
  std::optional<RunReport> report_of(size_t place);
  RunReport program();

 private:
  friend class PyTeam;
  void settle();
  void make_work();
  void with_streams(Watch& watch, uint64_t generation, const std::function<void(host::StreamWork&)>& action);
  RunReport launch_as_work(const sim::LaunchRequest& request, const LaunchArguments& a, Watch& watch);
  void add_to(ReportProgram& program, RunReport& run) const;
  void write_trace(const RunReport& run);

  PyTeam& team_;
  sim::Device device_;
  sim::TraceChoice trace_;
  ReportProvenance origin_;  // of every launch
  std::vector<std::shared_ptr<const traces::Timeline>> traced_;
  std::unique_ptr<host::StreamWork> work_;  // from the first call that needs it
  std::map<size_t, RunReport> reports_;     // of launches on streams, by place
};

// A kernel, and the device that it is loaded on.
struct PyKernel {
  PyDevice* device;
  sim::Kernel* kernel;
};

void bind_streams(py::module_& m, py::class_<PyDevice>& device);

}  // namespace gpuloom::python
