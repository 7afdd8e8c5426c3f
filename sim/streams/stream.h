// SPDX-License-Identifier: Apache-2.0
// Streams, events, and the simulated clock that orders them.
//
// Work is carried out when it is submitted, in the order in which the program submits it: a legal order, for
// nothing can depend on what is submitted later. When it would have run is bookkeeping: each stream knows
// when its last work ends, each engine when it is free, the host's clock moves where the program waits.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arch/policy_window.h"
#include "base/owned_set.h"
#include "sim/streams/costs.h"

namespace gpuloom::host {

class Capture;
class Graph;
struct GraphNode;

enum class Engine : uint8_t { kCompute, kToDevice, kFromDevice, kPeer, kNone };

// Work of another device's machine.
struct WorkElsewhere {
  unsigned device = 0;
  uint64_t ticket = 0;
};

struct Stream {
  uint64_t id = 0;
  unsigned device = 0;
  bool legacy = false;        // the default stream that waits for all blocking ones, and they for it
  bool non_blocking = false;  // has nothing to do with the legacy stream
  bool per_thread = false;    // a thread's default stream
  int priority = 0;
  int synchronization_policy = 1;           // kept for who asks: cudaSyncPolicyAuto
  std::optional<sim::PolicyWindow> window;  // that its launches get
  Time tail = 0;                            // end of its last work
  // In time on the machine (device_queue.h): its last work, and what its next waits for besides.
  uint64_t last = 0;
  std::vector<uint64_t> after;
  std::vector<WorkElsewhere> after_elsewhere;
  uint64_t last_launch = 0;         // its last work, where that is a launch
  std::vector<uint64_t> dependent;  // launches that let its next begin (programmatic dependent launch)
  Capture* capture = nullptr;       // under way; else work is carried out

  // Its next work comes after that of this or another device.
  void come_after(const WorkElsewhere& work) {
    if (work.device == device)
      after.push_back(work.ticket);
    else
      after_elsewhere.push_back(work);
  }
};

struct Event {
  unsigned device = 0;
  bool timing = true;
  bool interprocess = false;  // other processes may have it
  bool recorded = false;
  Time at = 0;
  uint64_t stream = 0;                    // that it was last recorded in, by its id
  uint64_t ticket = 0;                    // on the machine; `at` is known when that has ended
  Capture* capture = nullptr;             // that it was last recorded in; null: in none
  uint64_t capture_id = 0;                // of it: it may be over
  std::vector<GraphNode*> capture_nodes;  // what a stream that waits for it depends on
};

// The host's clock, one for all devices of a program.
class HostClock {
 public:
  // Of the thread that calls.
  Time now() const { return now_; }
  void advance(Time to) { now_ = std::max(now_, to); }
  // A thread of the program calls from here on. Each has its clock; that of a new one begins where the first
  // one's is.
  void enter(uint64_t thread);
  uint64_t thread() const { return thread_; }
  // Of all threads: what has been waited for has happened for all of them.
  Time latest() const;

 private:
  Time now_ = 0;
  uint64_t thread_ = 0;              // 0: none has said its number
  std::map<uint64_t, Time> clocks_;  // of the other threads
};

class Timeline {
 public:
  // With a clock of its own, or of one of several devices with the clock of all.
  explicit Timeline(const Costs& costs);
  Timeline(const Costs& costs, HostClock& clock, unsigned device);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  Stream& legacy() { return legacy_; }
  Stream& create_stream(bool non_blocking, int priority);
  Stream& create_per_thread();
  void destroy(Stream& stream);
  bool alive(const Stream* stream) const { return stream == &legacy_ || streams_.holds(stream); }

  Event& create_event(bool timing);
  void destroy(Event& event);
  bool alive(const Event* event) const { return events_.holds(event); }

  template <class F>
  void for_each_stream(F&& f) const {
    f(std::as_const(legacy_));
    streams_.for_each(f);
  }
  template <class F>
  void for_each_event(F&& f) const {
    events_.for_each(f);
  }

  // The time at which work of the stream may start, other work of the engine included.
  Time ready(const Stream& stream, Engine engine) const;
  // Such work from `start` on; returns its end.
  Time occupy(Stream& stream, Engine engine, Time start, Time duration);
  void record(Event& event, const Stream& stream);
  void wait(Stream& stream, const Event& event);

  // The host waits. `done` says whether it would have had to, without waiting: see query().
  void synchronise(const Stream& stream);
  void synchronise(const Event& event);
  void synchronise();
  // Whether work that ends at `end` has ended. Code of the host takes no simulated time, so a program that
  // polls would never see it end: the second query finds it done.
  bool query(Time end);
  Time end_of(const Stream& stream) const;

  Time now() const { return clock_.now(); }
  void advance(Time to) { clock_.advance(to); }
  void enter(uint64_t thread) { clock_.enter(thread); }
  uint64_t thread() const { return clock_.thread(); }
  Time latest() const { return clock_.latest(); }

 private:
  std::unique_ptr<HostClock> own_;
  HostClock& clock_;
  unsigned device_ = 0;
  Time blocking_tail_ = 0;  // of all streams but the non-blocking ones
  std::array<Time, 4> engine_free_{};
  bool one_copy_engine_ = false;
  uint64_t next_id_ = 1;
  Stream legacy_;
  OwnedSet<Stream> streams_;  // but the legacy one
  OwnedSet<Event> events_;
  Time end_of_all_ = 0;
};

}  // namespace gpuloom::host
