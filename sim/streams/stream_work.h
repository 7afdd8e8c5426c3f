// SPDX-License-Identifier: Apache-2.0
// A program of launches and copies on streams of a device, as launch files and Python write them: submitted
// in order, carried out in simulated time where somebody waits, with a record of each piece. Without time
// (sim::Mode::kFunctional) each piece is carried out as it is submitted, and nothing has a time.
#pragma once
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/report/program_report.h"
#include "sim/streams/device_queue.h"

namespace gpuloom::host {

// A copy or a fill.
struct Transfer {
  WorkKind kind = WorkKind::kToDevice;
  bool pageable = false;
  bool pulled = false;                   // between GPUs: by the one that has the target
  bool staged = false;                   // between GPUs that have no access to each other
  uint64_t bytes = 0, to = 0, from = 0;  // addresses on the device
  std::string name;                      // of what is moved, for the record
  std::function<void()> carry_out;
};

class StreamWork;

// Pieces of a graph; each is submitted on a branch of its own, after others by their places.
struct GraphWork {
  struct Piece {
    std::vector<size_t> after;
    std::function<void(Stream&)> submit;
    std::vector<size_t> dependent = {};  // of `after`, launches that let it begin before they end
    StreamWork* by = nullptr;            // of another device; null: of the one that launches the graph
  };
  std::string name;
  std::vector<Piece> pieces;
};

class StreamWork {
 public:
  // Takes each launch as it ends, by its place in work().
  using EndedFn = std::function<void(size_t place, const sim::LaunchRequest&, const sim::LaunchOutcome&)>;
  // `clock` is the host's, of several devices; null: of this one alone.
  StreamWork(sim::Device& device, EndedFn ended, HostClock* clock = nullptr);
  StreamWork(const StreamWork&) = delete;
  StreamWork& operator=(const StreamWork&) = delete;

  bool timed() const { return queue_ != nullptr; }
  Stream& default_stream() { return timeline_.legacy(); }
  Stream& create_stream(const std::string& name, bool non_blocking, int priority);
  Event& create_event() { return timeline_.create_event(true); }
  void destroy(Event& event) { timeline_.destroy(event); }

  // Each gives the place of its record. Throws what an earlier kernel has failed with: nothing runs after it.
  size_t launch(Stream& stream, const sim::LaunchRequest& request, const sim::LaunchOptions& options,
                int priority);
  size_t transfer(Stream& stream, Transfer transfer);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);
  void launch(Stream& stream, const GraphWork& graph);

  // The host waits; throws what a kernel has failed with.
  void synchronise(const Stream& stream);
  void synchronise(const Event& event);
  void synchronise();
  // Whether it has ended by now; where not, the clock moves to its end.
  bool done(const Stream& stream);
  bool done(const Event& event);
  // The event has been recorded and what it follows has been carried out: its time in nanoseconds.
  std::optional<double> time_of(const Event& event) const;
  // Everything submitted is carried out, the host's clock stays; before memory is freed, read or written.
  void carry_out_all();
  // The machine has run a launch of somebody else: the host's clock is where that has ended.
  void catch_up();

  const std::vector<ProgramWork>& work() const { return work_; }
  double now_ns() const { return static_cast<double>(timeline_.now()) * 1e-3; }
  const Costs& costs() const { return costs_; }

 private:
  size_t add(ProgramWork record, const Stream& stream);
  void ended(size_t place, const sim::LaunchRequest& request, const sim::LaunchOutcome& outcome);
  void check() const;
  template <class Action>
  void guarded(Action action);

  sim::Device& device_;
  EndedFn ended_;
  Costs costs_;
  Timeline timeline_;
  std::unique_ptr<DeviceQueue> queue_;     // in timed runs
  std::map<uint64_t, std::string> names_;  // of streams
  std::map<uint64_t, size_t> places_;      // of launches, by ticket
  std::vector<ProgramWork> work_;
  std::string graph_;         // whose pieces are being submitted
  std::exception_ptr fault_;  // the first
};

}  // namespace gpuloom::host
