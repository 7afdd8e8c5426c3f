// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/stream.h"

#include <algorithm>

namespace gpuloom::host {

Timeline::Timeline(const Costs& costs) : one_copy_engine_(costs.copy_engines() == 1) {
  legacy_.legacy = true;
}

void Timeline::enter(uint64_t thread) {
  if (thread == thread_) return;
  const bool first = thread_ == 0;
  if (!first) clocks_[thread_] = now_;
  thread_ = thread;
  if (!first) now_ = clocks_.emplace(thread, clocks_.begin()->second).first->second;
}

Time Timeline::latest() const {
  Time latest = now_;
  for (const auto& [thread, at] : clocks_)
    if (thread != thread_) latest = std::max(latest, at);
  return latest;
}

Stream& Timeline::create_stream(bool non_blocking, int priority) {
  Stream& created = streams_.make();
  created.id = next_id_++;
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
  created.timing = timing;
  return created;
}

void Timeline::destroy(Event& event) { events_.erase(event); }

Time Timeline::end_of(const Stream& stream) const {
  if (stream.legacy) return std::max(stream.tail, blocking_tail_);
  return stream.non_blocking ? stream.tail : std::max(stream.tail, legacy_.tail);
}

Time Timeline::ready(const Stream& stream, Engine engine) const {
  const Time start = std::max(now_, end_of(stream));
  return engine == Engine::kNone ? start : std::max(start, engine_free_[static_cast<size_t>(engine)]);
}

Time Timeline::occupy(Stream& stream, Engine engine, Time start, Time duration) {
  const Time end = start + duration;
  if (engine != Engine::kNone) {
    engine_free_[static_cast<size_t>(engine)] = end;
    if (one_copy_engine_ && engine != Engine::kCompute)
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
  event.at = std::max(now_, end_of(stream));
}

void Timeline::wait(Stream& stream, const Event& event) {
  if (event.recorded) occupy(stream, Engine::kNone, std::max(stream.tail, event.at), 0);
}

void Timeline::synchronise(const Stream& stream) { now_ = std::max(now_, end_of(stream)); }
void Timeline::synchronise(const Event& event) {
  if (event.recorded) now_ = std::max(now_, event.at);
}
void Timeline::synchronise() { now_ = std::max(now_, end_of_all_); }

bool Timeline::query(Time end) {
  if (end <= now_) return true;
  now_ = end;
  return false;
}

}  // namespace gpuloom::host
