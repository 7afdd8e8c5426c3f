// SPDX-License-Identifier: Apache-2.0
// Work of streams on the simulated machine, in timed runs: it is submitted as the program submits it, and
// carried out in simulated time when the program waits. Streams and events are tickets here.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/working_time.h"
#include "sim/runtime/device.h"
#include "sim/streams/stream.h"

namespace gpuloom::host {

class DeviceQueue {
 public:
  // `failed` takes what went wrong with a kernel; nothing runs after it. `let_others` gives other threads of
  // the program their turn.
  DeviceQueue(sim::Device& device, const Costs& costs, Timeline& timeline,
              std::function<void(const Error&)> failed, std::function<void()> let_others);

  // What the host spends in the machine is counted there from here on.
  void count_in(WorkingTime& time) { worked_ = &time; }

  // A dependent launch begins when the launch directly before it in the stream lets it.
  using EndedFn = sim::EndedFn;
  uint64_t launch(Stream& stream, const sim::LaunchRequest& request, const sim::LaunchOptions& options,
                  int priority, EndedFn ended);
  // The call of one from pageable memory takes the time in which the host copies its bytes.
  uint64_t copy(Stream& stream, arch::CopyWork work);
  // A function that is called in its turn; the stream's next work comes `took` after it has begun.
  uint64_t call(Stream& stream, std::function<void(Time)> function, Time took = 0, bool waits = false);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);
  // Work of the stream on the machine of another device: `submit` asks for it on a branch there, and the
  // stream goes on after it.
  void on_another(Stream& stream, DeviceQueue& other, const std::function<void(Stream&)>& submit);
  // The stream's next work comes after all that this stream of another device has.
  void come_after(Stream& stream, const DeviceQueue& other, const Stream& its);
  // A graph: its pieces come after each other as `after` says (by their places, of which those before come
  // first), and the stream goes on after all. `submit` asks for a piece on a branch of its own.
  // Of those that a launch comes after, `dependent` names the ones that let it begin. A piece may be work of
  // another device.
  struct Piece {
    std::vector<size_t> after, dependent;
    DeviceQueue* queue = nullptr;  // null: this one
  };
  using SubmitFn = std::function<void(size_t piece, Stream& branch)>;
  void graph(Stream& stream, const std::vector<Piece>& all, const SubmitFn& submit);

  // The host waits, and its clock moves to the end of what it waits for.
  void synchronise(const Stream& stream);
  void synchronise(const Event& event);
  void synchronise();
  // Whether it has ended by now; if not, the clock moves to its end, so that a program that polls goes on.
  bool query(const Stream& stream);
  bool query(const Event& event);
  bool ended_by_now(uint64_t ticket) { return ended_by_now(std::vector<uint64_t>{ticket}); }
  // Carries everything out; the host's clock stays.
  void carry_out_all();
  // Another thread of the program is in the machine: gives it its turn until it is not.
  void wait_for_others();
  // For programs without an end: what has ended is forgotten, but for what somebody may still ask for.
  // Whoever knows all that keep tickets collects those and calls forget_all_but(), where much was submitted
  // since the last time and no queue is busy: a call that goes on later may have tickets in its hands.
  bool much_submitted() const { return !lost_ && submitted_ >= kMuch; }
  bool busy() const { return advancing_ || waiting_ != 0; }
  // Of the machine of a device: those of streams and events here, and the queue's own.
  void collect_tickets(unsigned device, std::vector<uint64_t>& tickets) const;
  void forget_all_but(const std::vector<uint64_t>& tickets);
  // The machine goes, with all that was submitted; nothing runs from here on.
  void abandon();

  Time begin_of(uint64_t ticket) { return time_of(device_.machine().begin_of(ticket)); }
  Time end_of(uint64_t ticket) { return time_of(device_.machine().end_of(ticket)); }
  Time time_of(uint64_t cycle) const;

 private:
  void spend(Call call);
  uint64_t copy_from_pageable(Stream& stream, arch::CopyWork work);
  void pieces(Stream& stream, const std::vector<Piece>& all, const SubmitFn& submit);
  WorkElsewhere piece(const Stream& stream, const Piece& piece, const WorkElsewhere& begin,
                      const std::vector<WorkElsewhere>& ends, const std::function<void(Stream&)>& submit);
  arch::WorkOrder order(Stream& stream);
  uint64_t took(Stream& stream, uint64_t ticket);
  std::vector<uint64_t> waits_of(const Stream& stream) const;
  void advance(const std::vector<uint64_t>& tickets);
  bool ended_by_now(const std::vector<uint64_t>& tickets);
  void fail(const Error& error);
  uint64_t cycle_of(Time time) const;

  sim::Device& device_;
  const Costs& costs_;
  Timeline& timeline_;
  std::function<void(const Error&)> failed_;
  std::function<void()> let_others_;
  double hz_;
  WorkingTime own_, *worked_ = &own_;
  uint64_t legacy_last_ = 0;
  std::map<uint64_t, uint64_t> blocking_;  // last work of blocking streams, by stream; those destroyed too
  std::vector<uint64_t> open_;             // submitted and not known to have ended
  static constexpr size_t kMuch = 4096;    // pieces: a collection takes as long as some of them
  size_t submitted_ = 0;                   // since the last collection
  unsigned waiting_ = 0;                   // calls of threads that wait for others
  bool advancing_ = false, lost_ = false;
  bool first_piece_ = false;  // the piece comes after no other of its graph
  bool in_graph_ = false;     // pieces of a graph are submitted: its launch is the host's one call
};

}  // namespace gpuloom::host
