// SPDX-License-Identifier: Apache-2.0
#include "sim/streams/device_queue.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/error.h"

namespace gpuloom::host {
namespace {

constexpr Time kNotYet = INT64_MAX;

}  // namespace

DeviceQueue::DeviceQueue(sim::Device& device, const Costs& costs, Timeline& timeline,
                         std::function<void(const Error&)> failed, std::function<void()> let_others)
    : device_(device),
      costs_(costs),
      timeline_(timeline),
      failed_(std::move(failed)),
      let_others_(std::move(let_others)),
      hz_(device.gpu().clock_hz) {}

Time DeviceQueue::time_of(uint64_t cycle) const {
  return static_cast<Time>(static_cast<double>(cycle) / hz_ * 1e12);
}

uint64_t DeviceQueue::cycle_of(Time time) const {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(time) * 1e-12 * hz_));
}

void DeviceQueue::spend(Call call) {
  if (!in_graph_) timeline_.advance(timeline_.now() + costs_.of_call(call));
}

// A blocking stream's work comes after the legacy stream's, and that after all blocking streams' (CUDA C++
// guide, legacy default stream). It reaches the device some time after the call.
arch::WorkOrder DeviceQueue::order(Stream& stream) {
  arch::WorkOrder o;
  o.after = waits_of(stream);
  stream.after.clear();
  o.dependent = std::exchange(stream.dependent, {});
  for (const uint64_t t : o.dependent) std::erase(o.after, t);
  for (const WorkElsewhere& e : std::exchange(stream.after_elsewhere, {}))
    o.after_elsewhere.push_back({e.device, e.ticket});
  const arch::LaunchConfig& l = device_.gpu().launch;
  o.arrival = cycle_of(timeline_.now() + static_cast<Time>(l.host_latency_ns * 1e3));
  o.of_graph = in_graph_;
  o.first_of_graph = in_graph_ && first_piece_;
  o.queue = static_cast<uint32_t>(stream.id % l.queues);
  return o;
}

std::vector<uint64_t> DeviceQueue::waits_of(const Stream& stream) const {
  std::vector<uint64_t> after = stream.after;
  if (stream.last != 0) after.push_back(stream.last);
  if (stream.legacy)
    for (const auto& [id, last] : blocking_) after.push_back(last);
  else if (!stream.non_blocking && legacy_last_ != 0)
    after.push_back(legacy_last_);
  return after;
}

uint64_t DeviceQueue::took(Stream& stream, uint64_t ticket) {
  stream.last = ticket;
  ++submitted_;
  if (stream.legacy) {
    legacy_last_ = ticket;
    blocking_.clear();  // it has waited for them
  } else if (!stream.non_blocking) {
    blocking_[stream.id] = ticket;
  }
  open_.push_back(ticket);
  // A submission then waits for the oldest.
  if (open_.size() >= costs_.pending()) {
    std::erase_if(open_, [&](uint64_t t) { return device_.machine().done(t); });
    if (open_.size() >= costs_.pending()) {
      const std::vector<uint64_t> oldest{open_.front()};
      advance(oldest);
    }
  }
  return ticket;
}

uint64_t DeviceQueue::launch(Stream& stream, const sim::LaunchRequest& request,
                             const sim::LaunchOptions& options, int priority, EndedFn ended) {
  if (lost_) return 0;
  spend(request.dependent ? Call::kDependentLaunch : Call::kLaunch);
  if (request.dependent && stream.last != 0 && stream.last_launch == stream.last && stream.after.empty() &&
      stream.after_elsewhere.empty())
    stream.dependent = {stream.last};
  const arch::WorkOrder o = order(stream);
  stream.last_launch = took(stream, device_.submit(request, options, o, priority, std::move(ended)));
  return stream.last_launch;
}

uint64_t DeviceQueue::copy(Stream& stream, arch::CopyWork work) {
  if (lost_) return 0;
  if (work.pageable && work.way == arch::CopyWay::kToDevice && !in_graph_)
    return copy_from_pageable(stream, std::move(work));
  const bool between = work.way == arch::CopyWay::kPush || work.way == arch::CopyWay::kPull;
  if (between) {
    if (!in_graph_) timeline_.advance(timeline_.now() + costs_.of_peer_copy_call());
    return took(stream, device_.machine().submit(std::move(work), order(stream)));
  }
  spend(work.way == arch::CopyWay::kWithin ? Call::kDeviceCopy
        : work.way == arch::CopyWay::kFill ? Call::kFill
        : work.pageable                    ? Call::kPageableCopy
                                           : Call::kCopy);
  return took(stream, device_.machine().submit(std::move(work), order(stream)));
}

// Few bytes are written behind the command. More wait for what is before them in the stream and go through a
// buffer in chunks: a chunk goes over the link while the host fills the next, the last when the call is about
// to return (CUDA runtime API, API synchronization behavior; H200: probes/timeline, staging).
uint64_t DeviceQueue::copy_from_pageable(Stream& stream, arch::CopyWork work) {
  const Time staging = costs_.of_staging(work.bytes);
  if (costs_.is_inline(work.bytes)) {
    spend(Call::kPageableCopy);
    timeline_.advance(timeline_.now() + staging);
    return took(stream, device_.machine().submit(std::move(work), order(stream)));
  }
  advance(waits_of(stream));
  if (lost_) return 0;
  spend(Call::kPageableCopy);
  const Time end = timeline_.now() + staging;
  timeline_.advance(end - std::min(staging, costs_.of_chunks_before_last(work.bytes)));
  const arch::WorkOrder begin = order(stream);
  timeline_.advance(end);
  return took(stream, device_.machine().submit(std::move(work), begin));
}

uint64_t DeviceQueue::call(Stream& stream, std::function<void(Time)> function, Time took_time, bool waits) {
  if (lost_) return 0;
  arch::CallWork work;
  if (function)
    work.call = [this, function = std::move(function)](uint64_t cycle) { function(time_of(cycle)); };
  work.cycles = cycle_of(took_time);
  work.waits = waits;
  return took(stream, device_.machine().submit(std::move(work), order(stream)));
}

void DeviceQueue::record(Event& event, Stream& stream) {
  spend(Call::kRecord);
  event.recorded = true;
  event.capture = nullptr;
  event.capture_nodes.clear();
  event.at = kNotYet;
  event.stream = stream.id;
  // The event may be gone, or recorded again, by then.
  const auto mine = std::make_shared<uint64_t>(0);
  event.ticket = *mine = call(
      stream,
      [this, &event, mine](Time at) {
        if (timeline_.alive(&event) && event.ticket == *mine) event.at = costs_.readable(at);
      },
      event.timing ? costs_.of_event() : 0);
  if (lost_) event.at = timeline_.now();
}

void DeviceQueue::wait(Stream& stream, const Event& event) {
  spend(Call::kWait);
  if (!event.recorded || event.ticket == 0 || event.stream == stream.id) return;
  stream.come_after({event.device, event.ticket});
  call(stream, {}, costs_.of_stream_wait(), true);
}

void DeviceQueue::on_another(Stream& stream, DeviceQueue& other, const std::function<void(Stream&)>& submit) {
  Stream branch;
  branch.id = stream.id;
  branch.device = other.device_.number();
  branch.non_blocking = true;
  branch.priority = stream.priority;
  for (const uint64_t ticket : waits_of(stream)) branch.after_elsewhere.push_back({stream.device, ticket});
  submit(branch);
  if (branch.last != 0) stream.after_elsewhere.push_back({branch.device, branch.last});
  call(stream, {});
}

void DeviceQueue::come_after(Stream& stream, const DeviceQueue& other, const Stream& its) {
  for (const uint64_t ticket : other.waits_of(its)) stream.after_elsewhere.push_back({its.device, ticket});
  call(stream, {});
}

void DeviceQueue::graph(Stream& stream, const std::vector<Piece>& all, const SubmitFn& submit) {
  if (in_graph_) return pieces(stream, all, submit);  // a graph within another
  spend(Call::kGraph);
  for (size_t k = 0; k < all.size(); ++k) spend(Call::kGraphNode);
  in_graph_ = true;
  const std::unique_ptr<bool, void (*)(bool*)> leave(&in_graph_, [](bool* in) { *in = false; });
  pieces(stream, all, submit);
}

WorkElsewhere DeviceQueue::piece(const Stream& stream, const Piece& piece, const WorkElsewhere& begin,
                                 const std::vector<WorkElsewhere>& ends,
                                 const std::function<void(Stream&)>& submit) {
  Stream branch;  // of this piece alone
  branch.id = stream.id;
  branch.device = device_.number();
  branch.non_blocking = true;
  branch.priority = stream.priority;
  branch.come_after(begin);
  first_piece_ = piece.after.empty();
  for (const size_t before : piece.after) branch.come_after(ends[before]);
  for (const size_t before : piece.dependent)
    if (ends[before].device == branch.device) branch.dependent.push_back(ends[before].ticket);
  const bool was_in = in_graph_;
  in_graph_ = true;
  const std::unique_ptr<bool, std::function<void(bool*)>> leave(&in_graph_, [&](bool* in) { *in = was_in; });
  submit(branch);
  if (branch.last == 0 || !branch.after.empty() || !branch.after_elsewhere.empty()) call(branch, {});
  return {branch.device, branch.last};
}

void DeviceQueue::pieces(Stream& stream, const std::vector<Piece>& all, const SubmitFn& submit) {
  const WorkElsewhere begin{stream.device, call(stream, {})};
  std::vector<WorkElsewhere> ends(all.size());
  for (size_t k = 0; k < all.size(); ++k) {
    DeviceQueue& by = all[k].queue != nullptr ? *all[k].queue : *this;
    ends[k] = by.piece(stream, all[k], begin, ends, [&](Stream& branch) { submit(k, branch); });
  }
  for (const WorkElsewhere& end : ends) stream.come_after(end);
  call(stream, {});
}

// ---------------------------------------------------------------- the host waits

void DeviceQueue::advance(const std::vector<uint64_t>& tickets) {
  wait_for_others();
  if (lost_) return;
  const WorkingTime::Span span(*worked_);
  arch::Simulation& machine = device_.machine();
  Time end = timeline_.now();
  for (const uint64_t ticket : tickets) {
    if (!machine.done(ticket)) {
      advancing_ = true;
      try {
        machine.advance_until(ticket);
      } catch (const Error& error) {
        advancing_ = false;
        fail(error);
        return;
      } catch (...) {
        advancing_ = false;
        lost_ = true;
        throw;
      }
      advancing_ = false;
    }
    end = std::max(end, end_of(ticket));
  }
  timeline_.advance(end);
}

// A host function runs, on another thread.
void DeviceQueue::wait_for_others() {
  ++waiting_;
  while (advancing_) let_others_();
  --waiting_;
}

void DeviceQueue::collect_tickets(unsigned device, std::vector<uint64_t>& tickets) const {
  const auto elsewhere = [&](const WorkElsewhere& work) {
    if (work.device == device) tickets.push_back(work.ticket);
  };
  timeline_.for_each_stream([&](const Stream& s) {
    for (const WorkElsewhere& work : s.after_elsewhere) elsewhere(work);
    if (s.device != device) return;
    tickets.insert(tickets.end(), {s.last, s.last_launch});
    tickets.insert(tickets.end(), s.after.begin(), s.after.end());
    tickets.insert(tickets.end(), s.dependent.begin(), s.dependent.end());
  });
  timeline_.for_each_event([&](const Event& e) { elsewhere({e.device, e.ticket}); });
  if (device_.number() != device) return;
  tickets.push_back(legacy_last_);
  for (const auto& [stream, last] : blocking_) tickets.push_back(last);
  tickets.insert(tickets.end(), open_.begin(), open_.end());
}

void DeviceQueue::forget_all_but(const std::vector<uint64_t>& tickets) {
  device_.machine().forget_all_but(tickets);
  submitted_ = 0;
}

void DeviceQueue::abandon() {
  lost_ = true;
  open_.clear();
}

void DeviceQueue::fail(const Error& error) {
  abandon();
  device_.release_simulation();
  failed_(error);
}

bool DeviceQueue::ended_by_now(const std::vector<uint64_t>& tickets) {
  if (lost_) return true;
  const arch::Simulation& machine = device_.machine();
  const Time latest = timeline_.latest();
  if (!std::all_of(tickets.begin(), tickets.end(),
                   [&](uint64_t t) { return machine.done(t) && end_of(t) <= latest; }))
    return false;
  for (const uint64_t t : tickets) timeline_.advance(end_of(t));
  return true;
}

void DeviceQueue::synchronise(const Stream& stream) {
  advance(waits_of(stream));
  spend(Call::kSynchronise);
}
void DeviceQueue::synchronise(const Event& event) {
  if (event.recorded && event.ticket != 0) advance({event.ticket});
  spend(Call::kSynchronise);
}
void DeviceQueue::synchronise() {
  advance(open_);
  open_.clear();
  spend(Call::kSynchronise);
}

bool DeviceQueue::query(const Stream& stream) {
  const std::vector<uint64_t> tickets = waits_of(stream);
  if (ended_by_now(tickets)) return true;
  advance(tickets);
  return false;
}

bool DeviceQueue::query(const Event& event) {
  if (!event.recorded || event.ticket == 0 || ended_by_now(event.ticket)) return true;
  advance({event.ticket});
  return false;
}

void DeviceQueue::carry_out_all() {
  if (lost_ || advancing_ || open_.empty()) return;
  const WorkingTime::Span span(*worked_);
  advancing_ = true;
  try {
    device_.machine().advance_until_idle();
  } catch (const Error& error) {
    advancing_ = false;
    return fail(error);
  }
  advancing_ = false;
}

}  // namespace gpuloom::host
