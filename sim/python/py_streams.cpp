// SPDX-License-Identifier: Apache-2.0
// What a PyDevice does for its streams.
#include "sim/python/py_device.h"

namespace gpuloom::python {

sim::RunProgressFn PyDevice::progress() {
  return [this](const sim::RunProgress& p) { return team_.watch() == nullptr || team_.watch()->go_on(p); };
}

void PyDevice::on_streams(uint64_t generation, const std::function<void(host::StreamWork&)>& action) {
  Watch watch{py::none()};
  with_streams(watch, generation, action);
  if (watch.raised().is_none()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(watch.raised().ptr())), watch.raised().ptr());
  throw py::error_already_set();
}

// What signals raise waits in `watch`.
void PyDevice::with_streams(Watch& watch, uint64_t generation,
                            const std::function<void(host::StreamWork&)>& action) {
  std::exception_ptr failed;
  {
    const py::gil_scoped_release released;
    const std::lock_guard<std::mutex> mine(team_.mutex());
    std::unique_lock<std::mutex> turn_taken;
    try {
      if (generation != this->generation())
        throw Error(ErrorKind::kUsage, "the device was closed, and its streams with it");
      make_work();
      if (device_.options().mode == sim::Mode::kTimed) turn_taken = team_.take_turn();
      team_.watch(&watch);
      action(*work_);
    } catch (...) {
      failed = std::current_exception();
    }
    team_.watch(nullptr);
  }
  if (failed && watch.raised().is_none()) std::rethrow_exception(failed);
}

void PyDevice::make_work() {
  if (work_) return;
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
      },
      team_.several() ? &team_.clock() : nullptr);
}

void PyDevice::settle() {
  if (work_) on_streams(generation(), [](host::StreamWork& work) { work.carry_out_all(); });
}

std::optional<RunReport> PyDevice::report_of(size_t place) {
  std::optional<RunReport> report;
  on_streams(generation(), [&](host::StreamWork&) {
    if (const auto known = reports_.find(place); known != reports_.end()) report = known->second;
  });
  return report;
}

RunReport PyDevice::program() {
  RunReport run;
  on_streams(generation(), [&](host::StreamWork& work) {
    run.provenance = origin_;
    ReportProgram program;
    program.timed = work.timed();
    program.end_ns = work.now_ns();
    add_to(program, run);
    run.program = std::move(program);
  });
  return run;
}

void PyDevice::add_to(ReportProgram& program, RunReport& run) const {
  const size_t first = program.work.size();
  for (ProgramWork w : work_->work()) {
    for (size_t& other : w.shared_with) other += first;
    program.work.push_back(std::move(w));
  }
  for (const auto& [place, report] : reports_) {
    program.work[first + place].kernel = run.kernels.size();
    run.kernels.push_back(report.kernels[0]);
  }
}

}  // namespace gpuloom::python
