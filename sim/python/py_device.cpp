// SPDX-License-Identifier: Apache-2.0
#include "sim/python/py_device.h"

#include "sim/runtime/arguments.h"
#include "sim/streams/program_run.h"

namespace gpuloom::python {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};  // at signals and at the caller's progress function

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

PyDevice::PyDevice(PyTeam& team, const sim::DeviceOptions& options, sim::TraceChoice trace)
    : team_(team), device_(options), trace_(std::move(trace)), origin_(sim::provenance_of(device_, {})) {}

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

void PyDevice::write_trace(const RunReport& run) {
  if (trace_.format.empty()) return;
  traced_.insert(traced_.end(), run.timelines.begin(), run.timelines.end());
  sim::write_trace(trace_, traced_);
}

RunReport PyDevice::launch(sim::Kernel& kernel, const LaunchArguments& a, const std::vector<py::bytes>& args,
                           Watch& watch) {
  const sim::LaunchRequest r = request(kernel, a, args);
  team_.settle();
  const bool timed = device_.options().mode == sim::Mode::kTimed && !a.functional;
  if (timed && team_.several()) return launch_as_work(r, a, watch);
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> mine(team_.mutex());
  sim::LaunchOptions options = a;
  options.keep_partial = true;
  options.progress = [&watch](const sim::RunProgress& p) { return watch.go_on(p); };
  std::unique_lock<std::mutex> turn_taken;
  if (timed) turn_taken = team_.take_turn();
  RunReport run = sim::report_launch(device_, r, options, origin_);
  if (work_) work_->catch_up();
  write_trace(run);
  return run;
}

// On one of several devices: on its default stream, and everybody waits.
RunReport PyDevice::launch_as_work(const sim::LaunchRequest& request, const LaunchArguments& a,
                                   Watch& watch) {
  std::optional<size_t> place;
  with_streams(watch, generation(), [&](host::StreamWork& work) {
    if (a.cold_caches) device_.flush_caches();
    sim::LaunchOptions options = a;
    options.progress = progress();
    place = work.launch(work.default_stream(), request, options, 0);
    work.synchronise();
  });
  if (!watch.raised().is_none()) return {};
  return reports_.at(place.value());
}

RunReport PyDevice::run_file(const sim::LaunchFile& file, sim::LaunchOptions options,
                             const std::string& save_folder, Watch& watch) {
  if (team_.several())
    throw Error(ErrorKind::kUnsupported, "a launch file on one of several devices", {},
                "run it on a device of its own: gpuloom.run_file, or gpuloom.Device(...)");
  if (work_ && !file.program.empty())
    throw Error(ErrorKind::kUsage, "a launch file with a program has streams of its own", {},
                "run it on a device without streams, or after device.close()");
  settle();
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> mine(team_.mutex());
  std::unique_lock<std::mutex> turn_taken;
  if (device_.options().mode == sim::Mode::kTimed) turn_taken = team_.take_turn();
  options.keep_partial = true;
  options.progress = [&watch](const sim::RunProgress& p) { return watch.go_on(p); };
  RunReport run = host::run_file(device_, file, options, save_folder);
  write_trace(run);
  return run;
}

}  // namespace gpuloom::python
