// SPDX-License-Identifier: Apache-2.0
// What a PyDevice does for its streams.
#include "sim/python/py_device.h"

namespace gpuloom::python {

sim::RunProgressFn PyDevice::progress() {
  return [this](const sim::RunProgress& p) { return watch_ == nullptr || watch_->go_on(p); };
}

void PyDevice::on_streams(uint64_t generation, const std::function<void(host::StreamWork&)>& action) {
  Watch watch{py::none()};
  std::exception_ptr failed;
  {
    const py::gil_scoped_release released;
    const std::lock_guard<std::mutex> mine(mutex_);
    std::unique_lock<std::mutex> turn_taken;
    try {
      if (generation != generation_)
        throw Error(ErrorKind::kUsage, "the device was closed, and its streams with it");
      if (!work_)
        work_ = std::make_unique<host::StreamWork>(
            device_,
            [this](size_t place, const sim::LaunchRequest& request, const sim::LaunchOutcome& outcome) {
              RunReport& report = reports_[place];
              report.provenance = origin_;
              report.kernels.push_back(sim::report_kernel(device_, request, outcome));
              if (outcome.timed && outcome.timed->timeline) {
                report.timelines.push_back(outcome.timed->timeline);
                write_trace(report);
              }
            });
      if (device_.options().mode == sim::Mode::kTimed) turn_taken = take_turn();
      watch_ = &watch;
      action(*work_);
    } catch (...) {
      failed = std::current_exception();
    }
    watch_ = nullptr;
  }
  if (!watch.raised().is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(watch.raised().ptr())), watch.raised().ptr());
    throw py::error_already_set();
  }
  if (failed) std::rethrow_exception(failed);
}

void PyDevice::settle() {
  if (work_) on_streams(generation_, [](host::StreamWork& work) { work.carry_out_all(); });
}

std::optional<RunReport> PyDevice::report_of(size_t place) {
  std::optional<RunReport> report;
  on_streams(generation_, [&](host::StreamWork&) {
    if (const auto known = reports_.find(place); known != reports_.end()) report = known->second;
  });
  return report;
}

RunReport PyDevice::program() {
  RunReport run;
  on_streams(generation_, [&](host::StreamWork& work) {
    run.provenance = origin_;
    ReportProgram program;
    program.timed = work.timed();
    program.work = work.work();
    program.end_ns = work.now_ns();
    for (const auto& [place, report] : reports_) {
      program.work[place].kernel = run.kernels.size();
      run.kernels.push_back(report.kernels[0]);
    }
    run.program = std::move(program);
  });
  return run;
}

void PyDevice::close() {
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> mine(mutex_);
  std::unique_lock<std::mutex> turn_taken;
  if (device_.options().mode == sim::Mode::kTimed && work_) turn_taken = take_turn();
  work_.reset();
  reports_.clear();
  ++generation_;
  if (turn_taken) take_back();
}

}  // namespace gpuloom::python
