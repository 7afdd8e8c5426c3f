// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/program_run.h"

#include <chrono>
#include <functional>
#include <memory>

#include "base/error.h"
#include "sim/memory/copy_between.h"
#include "sim/runtime/device_team.h"
#include "sim/runtime/launch_setup.h"
#include "sim/runtime/session.h"
#include "sim/streams/stream_work.h"

namespace gpuloom::host {
namespace {

using sim::ProgramStep;
using Kind = ProgramStep::Kind;

// Which turn of how many a repetition has.
struct Turn {
  uint32_t number = 0, of = 1;
};

// Part of a buffer: where it begins in it, and its bytes.
struct Part {
  uint64_t begin = 0, bytes = 0;
};

void move_part(sim::ArgSpec& arg, const std::vector<sim::BufferSpec>& buffers, const Turn& turn) {
  if (arg.part && arg.kind == sim::ArgSpec::Kind::kBuffer)
    arg.offset += static_cast<int64_t>(buffers[arg.buffer].bytes() / turn.of * turn.number);
  for (sim::ArgSpec& field : arg.fields) move_part(field, buffers, turn);
}

class ProgramRun {
 public:
  ProgramRun(std::vector<sim::Device*> devices, const sim::LaunchFile& file,
             const sim::LaunchOptions& options, const std::string& save_folder)
      : file_(file),
        options_(options),
        devices_(std::move(devices)),
        setup_(devices_, file, save_folder),
        kernel_of_(devices_.size()),
        events_(file.program.events.size()) {
    options_.cold_caches = false;  // launches follow each other
    options_.keep_partial = true;
    for (size_t k = 0; k < devices_.size(); ++k)
      works_.push_back(std::make_unique<StreamWork>(
          *devices_[k],
          [this, k](size_t place, const sim::LaunchRequest& r, const sim::LaunchOutcome& o) {
            ended(k, place, r, o);
          },
          &clock_));
    for (const sim::StreamSpec& s : file.program.streams)
      streams_.push_back(&works_[s.device]->create_stream(s.name, s.non_blocking, s.priority));
    if (devices_.size() == 1)
      for (Event*& e : events_) e = &works_.front()->create_event();
  }

  RunReport run() {
    const auto begin = std::chrono::steady_clock::now();
    const auto progress = options_.progress;
    bool stopped = false;
    if (progress)
      options_.progress = [&](const sim::RunProgress& p) {
        stopped = stopped || !progress(p);
        return !stopped;
      };
    try {
      for (const ProgramStep& step : file_.program.steps) carry_out(step, {});
      synchronise();
    } catch (const Error&) {
      if (!stopped) throw;
      report_.complete = false;
    }
    setup_.fetch_surfaces();
    if (report_.complete) setup_.finish(report_);
    describe();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    report_.host.wall_seconds = took.count();
    report_.host.threads = devices_.front()->options().host_threads();
    report_.host.warp_instructions_per_second =
        took.count() > 0 ? static_cast<double>(instructions_) / took.count() : 0;
    return std::move(report_);
  }

 private:
  void ended(size_t device, size_t place, const sim::LaunchRequest& request,
             const sim::LaunchOutcome& outcome) {
    instructions_ += outcome.warp_instructions;
    report_.complete = report_.complete && outcome.complete;
    kernel_of_[device][place] = report_.kernels.size();
    report_.kernels.push_back(sim::report_kernel(*devices_[device], request, outcome));
    if (outcome.timed && outcome.timed->timeline) report_.timelines.push_back(outcome.timed->timeline);
  }

  void describe() {
    setup_.describe(report_);
    ReportProgram program;
    program.devices = static_cast<unsigned>(devices_.size());
    for (size_t k = 0; k < works_.size(); ++k) {
      const size_t first = program.work.size();
      for (ProgramWork w : works_[k]->work()) {
        for (size_t& other : w.shared_with) other += first;
        program.work.push_back(std::move(w));
      }
      for (const auto& [place, kernel] : kernel_of_[k]) program.work[first + place].kernel = kernel;
    }
    for (size_t i = 0; i < events_.size(); ++i)
      if (events_[i] != nullptr)
        if (const std::optional<double> at = works_[events_[i]->device]->time_of(*events_[i]))
          program.events.push_back({file_.program.events[i], *at});
    program.end_ns = works_.front()->now_ns();
    program.timed = works_.front()->timed();
    report_.program = std::move(program);
  }

  void synchronise() {
    for (const auto& work : works_) work->synchronise();
  }

  // An event is of the device in whose streams it is recorded.
  Event& recorded_in(size_t event, const Stream& stream, const FilePosition& where) {
    Event*& e = events_[event];
    if (e == nullptr) e = &works_[stream.device]->create_event();
    if (e->device != stream.device)
      throw Error(ErrorKind::kInput,
                  "event '" + file_.program.events[event] + "' is recorded in streams of two devices", where,
                  "an event is of one device");
    return *e;
  }

  Stream& stream_of(const ProgramStep& step, const Turn& turn) {
    if (step.streams.empty()) return works_.front()->default_stream();
    return *streams_[step.streams[turn.number % step.streams.size()]];
  }

  Part part_of(const ProgramStep& step, size_t buffer, const Turn& turn) const {
    const uint64_t bytes = file_.buffers[buffer].bytes();
    if (!step.part) return {0, bytes};
    if (bytes % turn.of != 0)
      throw Error(ErrorKind::kInput,
                  "buffer '" + file_.buffers[buffer].name + "' does not fall into " +
                      std::to_string(turn.of) + " equal parts",
                  step.where);
    return {bytes / turn.of * turn.number, bytes / turn.of};
  }

  void carry_out(const ProgramStep& step, const Turn& turn) {
    switch (step.kind) {
      case Kind::kSynchronize:
        return synchronise();
      case Kind::kSynchronizeStream:
        return works_[streams_[step.what]->device]->synchronise(*streams_[step.what]);
      case Kind::kSynchronizeEvent:
        if (const Event* e = events_[step.what]) works_[e->device]->synchronise(*e);
        return;
      case Kind::kGraph:
        return launch_graph(stream_of(step, turn), file_.program.graphs[step.what]);
      case Kind::kRepeat:
        for (uint32_t k = 0; k < step.times; ++k)
          for (const ProgramStep& inner : step.steps) carry_out(inner, {k, step.times});
        return;
      default:
        submit(step, turn, stream_of(step, turn));
    }
  }

  // What may stand in a graph as well.
  void submit(const ProgramStep& step, const Turn& turn, Stream& stream) {
    switch (step.kind) {
      case Kind::kLaunch:
        return launch(step, turn, stream);
      case Kind::kRecord:
        return works_[stream.device]->record(recorded_in(step.what, stream, step.where), stream);
      case Kind::kWait:
        if (events_[step.what] != nullptr) works_[stream.device]->wait(stream, *events_[step.what]);
        return;
      default:
        works_[stream.device]->transfer(stream, transfer(step, turn, stream.device));
    }
  }

  void launch(const ProgramStep& step, const Turn& turn, Stream& stream) {
    sim::LaunchSpec spec = file_.launches[step.what];
    for (sim::ArgSpec& arg : spec.args) move_part(arg, file_.buffers, turn);
    works_[stream.device]->launch(stream, setup_.request(spec, stream.device), options_, 0);
  }

  // A stream copies and fills what its device has, or between that and another's.
  void expect_on(size_t buffer, unsigned device, const FilePosition& where) const {
    const sim::BufferSpec& b = file_.buffers[buffer];
    if (b.device == device) return;
    throw Error(ErrorKind::kInput,
                "buffer '" + b.name + "' is on device " + std::to_string(b.device) +
                    ", and the step's stream on device " + std::to_string(device),
                where, "streams: {NAME: {device: " + std::to_string(b.device) + "}}");
  }

  Transfer transfer(const ProgramStep& step, const Turn& turn, unsigned device) {
    const sim::BufferSpec& buffer = file_.buffers[step.what];
    const Part part = part_of(step, step.what, turn);
    sim::DeviceMemory& memory = devices_[buffer.device]->memory();
    const bool here = buffer.device == device;
    if (!here) expect_on(step.kind == Kind::kCopy ? step.to : step.what, device, step.where);
    Transfer t;
    t.name = buffer.name;
    t.bytes = part.bytes;
    t.pageable = buffer.host == sim::HostSide::kPageable;
    const uint64_t address = setup_.address_of(step.what) + part.begin;
    uint8_t* host = setup_.host_side(step.what).data() + part.begin;
    t.to = t.from = address;
    if (step.kind == Kind::kToDevice) {
      t.kind = WorkKind::kToDevice;
      t.carry_out = [&memory, address, host, n = part.bytes] { memory.write(address, host, n); };
    } else if (step.kind == Kind::kToHost) {
      t.kind = WorkKind::kToHost;
      t.carry_out = [&memory, address, host, n = part.bytes] { memory.read(address, host, n); };
    } else if (step.kind == Kind::kCopy) {
      const sim::BufferSpec& target = file_.buffers[step.to];
      sim::DeviceMemory& there = devices_[target.device]->memory();
      t.kind = target.device == buffer.device ? WorkKind::kWithin : WorkKind::kPeer;
      t.pulled = !here;
      t.pageable = false;
      t.to = setup_.address_of(step.to) + part.begin;
      t.carry_out = [&memory, &there, to = t.to, address, n = part.bytes] {
        sim::copy_between(there, to, memory, address, n);
      };
    } else {
      t.kind = WorkKind::kFill;
      t.pageable = false;
      t.carry_out = [&memory, address, value = step.value, n = part.bytes] {
        memory.fill(address, value, n);
      };
    }
    return t;
  }

  void launch_graph(Stream& stream, const sim::GraphSpec& spec) {
    works_[stream.device]->launch(stream, graph(spec, stream.device));
  }

  // What a capture of its streams would give: a piece comes after the last one of its stream, and after what
  // its stream has waited for.
  GraphWork graph(const sim::GraphSpec& spec, unsigned device) {
    GraphWork g;
    g.name = spec.name;
    std::map<size_t, std::vector<size_t>> tips;    // by stream; SIZE_MAX is the default one
    std::map<size_t, std::vector<size_t>> events;  // what an event follows
    std::vector<bool> launches;                    // by piece
    const std::function<void(const ProgramStep&, Turn)> add = [&](const ProgramStep& step, Turn turn) {
      if (step.kind == Kind::kRepeat) {
        for (uint32_t k = 0; k < step.times; ++k)
          for (const ProgramStep& inner : step.steps) add(inner, {k, step.times});
        return;
      }
      const size_t stream = step.streams.empty() ? SIZE_MAX : step.streams[turn.number % step.streams.size()];
      std::vector<size_t>& tip = tips[stream];
      if (step.kind == Kind::kRecord) {
        events[step.what] = tip;
      } else if (step.kind == Kind::kWait) {
        tip.insert(tip.end(), events[step.what].begin(), events[step.what].end());
      } else {
        const bool launch = step.kind == Kind::kLaunch, after_launch = tip.size() == 1 && launches[tip[0]];
        const bool dependent = launch && after_launch && file_.launches[step.what].dependent;
        const unsigned of = step.streams.empty() ? 0 : streams_[stream]->device;
        g.pieces.push_back({tip, [this, &step, turn](Stream& branch) { submit(step, turn, branch); },
                            dependent ? tip : std::vector<size_t>{},
                            of != device ? works_[of].get() : nullptr});
        launches.push_back(launch);
        tip = {g.pieces.size() - 1};
      }
    };
    for (const ProgramStep& step : spec.steps) add(step, {});
    return g;
  }

  const sim::LaunchFile& file_;
  sim::LaunchOptions options_;
  std::vector<sim::Device*> devices_;
  sim::LaunchSetup setup_;
  HostClock clock_;
  std::vector<std::unique_ptr<StreamWork>> works_;   // by device
  std::vector<std::map<size_t, size_t>> kernel_of_;  // by device: place of a launch's record to its kernel
  std::vector<Stream*> streams_;
  std::vector<Event*> events_;  // null: of several devices, not recorded yet
  RunReport report_;
  uint64_t instructions_ = 0;
};

}  // namespace

RunReport run_file(sim::Device& device, const sim::LaunchFile& file, const sim::LaunchOptions& options,
                   const std::string& save_folder) {
  if (file.program.empty()) return sim::run_launch_file(device, file, options, save_folder);
  if (file.devices == 1) return ProgramRun({&device}, file, options, save_folder).run();
  const sim::DeviceTeam team(device.options(), file.devices);
  return ProgramRun(team.all(), file, options, save_folder).run();
}

}  // namespace gpuloom::host
