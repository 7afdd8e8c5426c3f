// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/stream_work.h"

#include <thread>
#include <utility>

#include "base/error.h"

namespace gpuloom::host {
namespace {

arch::CopyWay way_of(WorkKind kind, bool pulled) {
  switch (kind) {
    case WorkKind::kPeer:
      return pulled ? arch::CopyWay::kPull : arch::CopyWay::kPush;
    case WorkKind::kToDevice:
      return arch::CopyWay::kToDevice;
    case WorkKind::kToHost:
      return arch::CopyWay::kFromDevice;
    case WorkKind::kWithin:
      return arch::CopyWay::kWithin;
    default:
      return arch::CopyWay::kFill;
  }
}

double nanoseconds(Time t) { return static_cast<double>(t) * 1e-3; }

}  // namespace

StreamWork::StreamWork(sim::Device& device, EndedFn ended, HostClock* clock)
    : device_(device),
      ended_(std::move(ended)),
      costs_(device.config()),
      timeline_(clock != nullptr ? Timeline(costs_, *clock, device.number()) : Timeline(costs_)) {
  names_[timeline_.legacy().id] = "default";
  if (device.options().mode == sim::Mode::kTimed)
    // What has failed is under way as an exception there: guarded() keeps it.
    queue_ = std::make_unique<DeviceQueue>(
        device_, costs_, timeline_, [](const Error&) { throw; }, [] { std::this_thread::yield(); });
}

Stream& StreamWork::create_stream(const std::string& name, bool non_blocking, int priority) {
  Stream& stream = timeline_.create_stream(non_blocking, priority);
  names_[stream.id] = name;
  return stream;
}

void StreamWork::check() const {
  if (fault_) std::rethrow_exception(fault_);
}

template <class Action>
void StreamWork::guarded(Action action) {
  check();
  try {
    action();
  } catch (const sim::LaunchRefused&) {
    throw;  // refused at once: the program goes on
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kProgram || error.kind() == ErrorKind::kUsage)
      fault_ = std::current_exception();
    throw;
  }
}

size_t StreamWork::add(ProgramWork record, const Stream& stream) {
  record.stream = names_[stream.id];
  record.device = device_.number();
  record.graph = graph_;
  work_.push_back(std::move(record));
  return work_.size() - 1;
}

void StreamWork::ended(size_t place, const sim::LaunchRequest& request, const sim::LaunchOutcome& outcome) {
  ProgramWork& w = work_[place];
  w.done = true;
  if (outcome.timed) {
    const arch::KernelResult& r = *outcome.timed;
    w.begin_ns = nanoseconds(queue_->time_of(r.start_cycle));
    w.end_ns = nanoseconds(queue_->time_of(r.start_cycle + r.cycles));
    for (const uint64_t ticket : r.shared_with) {
      const auto known = places_.find(ticket);  // else it is being submitted
      w.shared_with.push_back(known == places_.end() ? work_.size() - 1 : known->second);
    }
  }
  ended_(place, request, outcome);
}

size_t StreamWork::launch(Stream& stream, const sim::LaunchRequest& request,
                          const sim::LaunchOptions& options, int priority) {
  ProgramWork record;
  record.name = request.kernel->name();
  size_t place = 0;
  guarded([&] {
    if (!queue_) {
      const sim::LaunchOutcome outcome = device_.launch(request, options);
      place = add(std::move(record), stream);
      return ended(place, request, outcome);
    }
    place = add(std::move(record), stream);
    try {
      const uint64_t ticket =
          queue_->launch(stream, request, options, priority != 0 ? priority : stream.priority,
                         [this, place](const sim::LaunchRequest& its, const sim::LaunchOutcome& outcome) {
                           ended(place, its, outcome);
                         });
      places_[ticket] = place;
    } catch (const sim::LaunchRefused&) {
      work_.pop_back();
      throw;
    }
  });
  return place;
}

// A copy of pageable memory is staged: the call returns at its end (CUDA runtime API, API synchronization
// behaviour).
size_t StreamWork::transfer(Stream& stream, Transfer t) {
  ProgramWork record;
  record.kind = t.kind;
  record.name = t.name;
  record.bytes = t.bytes;
  record.pageable = t.pageable;
  size_t place = 0;
  guarded([&] {
    place = add(std::move(record), stream);
    if (!queue_ || t.bytes == 0) {
      if (t.carry_out) t.carry_out();
      work_[place].done = true;
      return;
    }
    arch::CopyWork work{way_of(t.kind, t.pulled), t.pageable, t.bytes, t.to, t.from,
                        std::move(t.carry_out),   {},         t.staged};
    work.ended = [this, place](uint64_t begin, uint64_t end) {
      ProgramWork& w = work_[place];
      w.begin_ns = nanoseconds(queue_->time_of(begin));
      w.end_ns = nanoseconds(queue_->time_of(end));
      w.done = true;
    };
    queue_->copy(stream, std::move(work));
    if (t.pageable && graph_.empty()) queue_->synchronise(stream);
  });
  return place;
}

void StreamWork::record(Event& event, Stream& stream) {
  guarded([&] {
    if (queue_)
      queue_->record(event, stream);
    else
      event.recorded = true;
  });
}

void StreamWork::wait(Stream& stream, const Event& event) {
  check();
  if (queue_) queue_->wait(stream, event);
}

void StreamWork::launch(Stream& stream, const GraphWork& graph) {
  guarded([&] {
    const auto each = [&](const std::string& name) {
      graph_ = name;
      for (const GraphWork::Piece& piece : graph.pieces)
        if (piece.by != nullptr) piece.by->graph_ = name;
    };
    each(graph.name);
    const std::unique_ptr<StreamWork, std::function<void(StreamWork*)>> leave(this,
                                                                              [&](StreamWork*) { each({}); });
    for (const GraphWork::Piece& piece : graph.pieces)  // records name the stream that it is launched in
      if (piece.by != nullptr) piece.by->names_[stream.id] = names_[stream.id];
    if (!queue_) {
      for (const GraphWork::Piece& piece : graph.pieces) {
        Stream branch = stream;
        if (piece.by != nullptr) branch.device = piece.by->device_.number();
        piece.submit(branch);
      }
      return;
    }
    std::vector<DeviceQueue::Piece> all;
    all.reserve(graph.pieces.size());
    for (const GraphWork::Piece& piece : graph.pieces)
      all.push_back({piece.after, piece.dependent, piece.by != nullptr ? piece.by->queue_.get() : nullptr});
    queue_->graph(stream, all, [&](size_t k, Stream& branch) { graph.pieces[k].submit(branch); });
  });
}

void StreamWork::synchronise(const Stream& stream) {
  guarded([&] {
    if (queue_) queue_->synchronise(stream);
  });
}

void StreamWork::synchronise(const Event& event) {
  guarded([&] {
    if (queue_) queue_->synchronise(event);
  });
}

void StreamWork::synchronise() {
  guarded([&] {
    if (queue_) queue_->synchronise();
  });
}

bool StreamWork::done(const Stream& stream) {
  bool ended = true;
  guarded([&] { ended = !queue_ || queue_->query(stream); });
  return ended;
}

bool StreamWork::done(const Event& event) {
  bool ended = true;
  guarded([&] { ended = !queue_ || queue_->query(event); });
  return ended;
}

std::optional<double> StreamWork::time_of(const Event& event) const {
  if (!queue_ || !event.recorded || event.at == INT64_MAX) return std::nullopt;
  return nanoseconds(event.at);
}

void StreamWork::carry_out_all() {
  guarded([&] {
    if (queue_) queue_->carry_out_all();
  });
}

void StreamWork::catch_up() {
  if (queue_) timeline_.advance(queue_->time_of(device_.machine().now()));
}

}  // namespace gpuloom::host
