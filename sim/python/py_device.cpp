// SPDX-License-Identifier: Apache-2.0
#include "sim/python/py_device.h"

#include "sim/runtime/arguments.h"
#include "sim/streams/program_run.h"

namespace gpuloom::python {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};  // at signals and at the caller's progress function

// SystemC has one context in a process, so timed launches take turns, whichever device they belong to; the
// device that had the last one keeps its model until another wants it. State of the process, because
// SystemC's is.
struct TimedTurn {
  std::mutex mutex;
  PyDevice* owner = nullptr;
  sim::Device* device = nullptr;  // the owner's
  bool streams = false;           // the owner has some, whose work would be lost
};
TimedTurn& timed_turn() {
  static TimedTurn turn;
  return turn;
}

}  // namespace

bool Watch::go_on(const sim::RunProgress& p) {
  if (Clock::now() - looked_ < kLookEvery) return true;
  const py::gil_scoped_acquire locked;
  bool more = true;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none())
      more = !progress_(p.cycle, p.blocks_done, p.blocks_total, p.warp_instructions).is(py::bool_(false));
  } catch (py::error_already_set& raised) {
    raised_ = py::reinterpret_borrow<py::object>(raised.value());
    more = false;
  }
  looked_ = Clock::now();
  return more;
}

PyDevice::PyDevice(const sim::DeviceOptions& options, sim::TraceChoice trace)
    : device_(options), trace_(std::move(trace)), origin_(sim::provenance_of(device_, {})) {}

PyDevice::~PyDevice() {
  const py::gil_scoped_release released;  // somebody else's launch may hold the turn for long
  TimedTurn& turn = timed_turn();
  const std::lock_guard<std::mutex> locked(turn.mutex);
  work_.reset();
  if (turn.owner == this) {
    turn.owner = nullptr;
    turn.streams = false;
    device_.release_simulation();
  }
}

std::unique_lock<std::mutex> PyDevice::take_turn() {
  TimedTurn& turn = timed_turn();
  std::unique_lock<std::mutex> locked(turn.mutex);
  if (turn.owner != nullptr && turn.owner != this) {
    if (turn.streams)
      throw Error(ErrorKind::kUsage, "another timed device has streams, and a process has one timeline", {},
                  "close it first: device.close(), or `with gpuloom.Device(...) as device:`");
    turn.device->release_simulation();
  }
  turn.owner = this;
  turn.device = &device_;
  turn.streams = work_ != nullptr;
  return locked;
}

sim::LaunchRequest PyDevice::request(sim::Kernel& kernel, const LaunchArguments& a,
                                     const std::vector<py::bytes>& args) {
  sim::LaunchSpec spec;
  for (const py::bytes& bytes : args) {
    const auto view = static_cast<std::string_view>(bytes);
    sim::ArgSpec arg;
    arg.kind = sim::ArgSpec::Kind::kBytes;
    arg.bytes.assign(view.begin(), view.end());
    spec.args.push_back(std::move(arg));
  }
  sim::LaunchRequest r;
  r.kernel = &kernel;
  r.grid = dim3(a.grid);
  r.block = dim3(a.block);
  if (a.cluster) r.cluster = dim3(*a.cluster);
  r.dynamic_shared_bytes = a.dynamic_shared;
  r.max_dynamic_shared_bytes = a.max_dynamic_shared;
  r.nonportable_cluster = a.nonportable_cluster;
  r.carveout_pct = a.carveout;
  r.cooperative = a.cooperative;
  r.window = a.window;
  r.params = pack_arguments(*kernel.program, spec, {});
  return r;
}

void PyDevice::take_back() {
  TimedTurn& turn = timed_turn();
  turn.owner = nullptr;
  turn.streams = false;
  device_.release_simulation();
}

void PyDevice::write_trace(const RunReport& run) {
  if (trace_.format.empty()) return;
  traced_.insert(traced_.end(), run.timelines.begin(), run.timelines.end());
  sim::write_trace(trace_, traced_);
}

RunReport PyDevice::launch(sim::Kernel& kernel, const LaunchArguments& a, const std::vector<py::bytes>& args,
                           Watch& watch) {
  const sim::LaunchRequest r = request(kernel, a, args);
  settle();
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> mine(mutex_);
  sim::LaunchOptions options = a;
  options.keep_partial = true;
  options.progress = [&watch](const sim::RunProgress& p) { return watch.go_on(p); };
  const bool timed = device_.options().mode == sim::Mode::kTimed && !a.functional;
  std::unique_lock<std::mutex> turn_taken;
  if (timed) turn_taken = take_turn();
  RunReport run = sim::report_launch(device_, r, options, origin_);
  if (work_) work_->catch_up();
  write_trace(run);
  return run;
}

RunReport PyDevice::run_file(const sim::LaunchFile& file, sim::LaunchOptions options,
                             const std::string& save_folder, Watch& watch) {
  if (work_ && !file.program.empty())
    throw Error(ErrorKind::kUsage, "a launch file with a program has streams of its own", {},
                "run it on a device without streams, or after device.close()");
  settle();
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> mine(mutex_);
  std::unique_lock<std::mutex> turn_taken;
  if (device_.options().mode == sim::Mode::kTimed) turn_taken = take_turn();
  options.keep_partial = true;
  options.progress = [&watch](const sim::RunProgress& p) { return watch.go_on(p); };
  RunReport run = host::run_file(device_, file, options, save_folder);
  write_trace(run);
  return run;
}

}  // namespace gpuloom::python
