// SPDX-License-Identifier: Apache-2.0
// Devices that share a timeline, and the turns that timelines of a process take.
#include <algorithm>

#include "base/error.h"
#include "sim/python/py_device.h"
#include "sim/runtime/device_team.h"

namespace gpuloom::python {
namespace {

// SystemC has one context in a process, so timed work takes turns, whichever devices it belongs to; those
// that had the last one keep their model until others want it. State of the process, because SystemC's is.
struct TimedTurn {
  std::mutex mutex;
  PyTeam* owner = nullptr;
  bool streams = false;  // the owner has some, whose work would be lost
};
TimedTurn& timed_turn() {
  static TimedTurn turn;
  return turn;
}

}  // namespace

PyTeam::PyTeam(std::vector<Member> members) : machines_([this] { return all(); }) {
  const auto count = static_cast<unsigned>(members.size());
  for (unsigned k = 0; k < count; ++k) {
    sim::DeviceOptions& options = members[k].options;
    if (count > 1) sim::share_timeline(options, k, count, machines_);
    devices_.push_back(std::make_unique<PyDevice>(*this, options, std::move(members[k].trace)));
  }
  sim::introduce(all());
}

std::vector<sim::Device*> PyTeam::all() const {
  std::vector<sim::Device*> all;
  for (const auto& device : devices_) all.push_back(&device->device_);
  return all;
}

PyTeam::~PyTeam() {
  const py::gil_scoped_release released;  // somebody else's launch may hold the turn for long
  TimedTurn& turn = timed_turn();
  const std::lock_guard<std::mutex> locked(turn.mutex);
  for (const auto& device : devices_) device->work_.reset();
  if (turn.owner == this) give_turn_back();
}

PyDevice& PyTeam::owner_of(uint64_t address) const {
  for (const auto& device : devices_)
    if (device->device_.memory().find(address) != nullptr) return *device;
  throw Error(ErrorKind::kInput, "a side of the copy is not memory of these devices");
}

bool PyTeam::have_streams() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& d) { return d->work_ != nullptr; });
}

std::unique_lock<std::mutex> PyTeam::take_turn() {
  TimedTurn& turn = timed_turn();
  std::unique_lock<std::mutex> locked(turn.mutex);
  if (turn.owner != nullptr && turn.owner != this) {
    if (turn.streams)
      throw Error(ErrorKind::kUsage, "another timed device has streams, and a process has one timeline", {},
                  "close it first: device.close(), or `with gpuloom.Device(...) as device:`; devices on one "
                  "timeline are gpuloom.devices([...])");
    turn.owner->release();
  }
  turn.owner = this;
  turn.streams = have_streams();
  return locked;
}

void PyTeam::give_turn_back() {
  timed_turn().owner = nullptr;
  timed_turn().streams = false;
  release();
}

void PyTeam::release() {
  machines_.release();
  for (const auto& device : devices_) device->device_.release_simulation();
}

void PyTeam::settle() {
  for (const auto& device : devices_) device->settle();
}

void PyTeam::close() {
  const py::gil_scoped_release released;
  const std::lock_guard<std::mutex> mine(mutex_);
  std::unique_lock<std::mutex> turn_taken;
  if (have_streams() && devices_.front()->device_.options().mode == sim::Mode::kTimed)
    turn_taken = take_turn();
  for (const auto& device : devices_) {
    device->work_.reset();
    device->reports_.clear();
  }
  ++generation_;
  clock_ = {};
  if (turn_taken) give_turn_back();
}

RunReport PyTeam::program() {
  RunReport run;
  ReportProgram program;
  program.devices = static_cast<unsigned>(devices_.size());
  for (const auto& device : devices_)
    device->on_streams(generation_, [&](host::StreamWork& work) {
      program.timed = work.timed();
      program.end_ns = std::max(program.end_ns, work.now_ns());
      device->add_to(program, run);
    });
  run.provenance = devices_.front()->origin_;
  run.program = std::move(program);
  return run;
}

}  // namespace gpuloom::python
