// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/stream.h"

#include <algorithm>

namespace gpuloom::host {

namespace {

// Numbers of streams tell devices apart: a device's begin at a multiple of this.
constexpr uint64_t kStreamsOfDevice = uint64_t{1} << 32;

}  // namespace

Timeline::Timeline(const Costs& costs)
    : own_(std::make_unique<HostClock>()), clock_(*own_), one_copy_engine_(costs.copy_engines() == 1) {
  legacy_.legacy = true;
}

Timeline::Timeline(const Costs& costs, HostClock& clock, unsigned device)
    : clock_(clock), device_(device), one_copy_engine_(costs.copy_engines() == 1) {
  legacy_.legacy = true;
  legacy_.device = device;
  legacy_.id = device * kStreamsOfDevice;
  next_id_ += legacy_.id;
}

void HostClock::enter(uint64_t thread) {
  if (thread == thread_) return;
  const bool first = thread_ == 0;
  if (!first) clocks_[thread_] = now_;
  thread_ = thread;
  if (!first) now_ = clocks_.emplace(thread, clocks_.begin()->second).first->second;
}

Time HostClock::latest() const {
  Time latest = now_;
  for (const auto& [thread, at] : clocks_)
    if (thread != thread_) latest = std::max(latest, at);
  return latest;
}

Stream& Timeline::create_stream(bool non_blocking, int priority) {
  Stream& created = streams_.make();
  created.id = next_id_++;
  created.device = device_;
  created.non_blocking = non_blocking;
  created.priority = priority;
  return created;
}

Stream& Timeline::create_per_thread() {
  Stream& stream = create_stream(false, 0);
  stream.per_thread = true;
  return stream;
}

void Timeline::destroy(Stream& stream) { streams_.erase(stream); }

Event& Timeline::create_event(bool timing) {
  Event& created = events_.make();
  created.device = device_;
  created.timing = timing;
  return created;
}

void Timeline::destroy(Event& event) { events_.erase(event); }

Time Timeline::end_of(const Stream& stream) const {
  if (stream.legacy) return std::max(stream.tail, blocking_tail_);
  return stream.non_blocking ? stream.tail : std::max(stream.tail, legacy_.tail);
}

Time Timeline::ready(const Stream& stream, Engine engine) const {
  const Time start = std::max(now(), end_of(stream));
  return engine == Engine::kNone ? start : std::max(start, engine_free_[static_cast<size_t>(engine)]);
}

Time Timeline::occupy(Stream& stream, Engine engine, Time start, Time duration) {
  const Time end = start + duration;
  if (engine != Engine::kNone) {
    engine_free_[static_cast<size_t>(engine)] = end;
    if (one_copy_engine_ && (engine == Engine::kToDevice || engine == Engine::kFromDevice))
      engine_free_[static_cast<size_t>(Engine::kToDevice)] =
          engine_free_[static_cast<size_t>(Engine::kFromDevice)] = end;
  }
  stream.tail = std::max(stream.tail, end);
  if (!stream.non_blocking) blocking_tail_ = std::max(blocking_tail_, end);
  end_of_all_ = std::max(end_of_all_, end);
  return end;
}

void Timeline::record(Event& event, const Stream& stream) {
  event.recorded = true;
  event.capture = nullptr;
  event.capture_nodes.clear();
  event.at = std::max(now(), end_of(stream));
}

void Timeline::wait(Stream& stream, const Event& event) {
  if (event.recorded) occupy(stream, Engine::kNone, std::max(stream.tail, event.at), 0);
}

void Timeline::synchronise(const Stream& stream) { advance(end_of(stream)); }
void Timeline::synchronise(const Event& event) {
  if (event.recorded) advance(event.at);
}
void Timeline::synchronise() { advance(end_of_all_); }

bool Timeline::query(Time end) {
  if (end <= now()) return true;
  advance(end);
  return false;
}

}  // namespace gpuloom::host
