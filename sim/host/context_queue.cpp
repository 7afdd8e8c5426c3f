// SPDX-License-Identifier: Apache-2.0
// Copies, fills and callbacks in timed runs: as work of the machine.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "sim/host/context.h"

namespace gpuloom::host {
namespace {

uint64_t place_of(const CopySide& side) {
  return (side.array != nullptr ? side.array->state.address : side.address) + side.x;
}

arch::CopyWay way_of(Route route, bool from_here) {
  switch (route) {
    case Route::kPeer:
      return from_here ? arch::CopyWay::kPush : arch::CopyWay::kPull;
    case Route::kToDevice:
    case Route::kPageableToDevice:
      return arch::CopyWay::kToDevice;
    case Route::kFromDevice:
    case Route::kPageableFromDevice:
      return arch::CopyWay::kFromDevice;
    default:
      return arch::CopyWay::kWithin;
  }
}

Moved moved_by(arch::CopyWay way) {
  switch (way) {
    case arch::CopyWay::kToDevice:
      return Moved::kToDevice;
    case arch::CopyWay::kFromDevice:
      return Moved::kFromDevice;
    case arch::CopyWay::kWithin:
      return Moved::kDevice;
    case arch::CopyWay::kPush:
    case arch::CopyWay::kPull:
      return Moved::kPeer;
    default:
      return Moved::kFilled;
  }
}

std::shared_ptr<std::vector<uint8_t>> staged_bytes(const Copy& copy) {
  const auto* begin = reinterpret_cast<const uint8_t*>(copy.from.address + copy.from.x);
  return std::make_shared<std::vector<uint8_t>>(begin, begin + copy.width);
}

}  // namespace

// The machine moves its bytes as one row from where it begins. A copy of pageable memory is staged: one to
// the host returns at its end, one to the device takes its bytes at once (CUDA runtime API, API
// synchronization behaviour; H200: tests/cuda/rules).
void Context::queue_copy(const Copy& copy, Route route, Stream& stream) {
  const uint64_t bytes = copy.width * copy.height * copy.depth;
  if (route == Route::kHost || bytes == 0) {
    queue_->call(stream, [this, copy](Time) { copier_.run(copy); });
    return;
  }
  Context& by = mover(copy, route);
  if (&by != this)
    return queue_->on_another(stream, *by.queue_,
                              [&](Stream& branch) { by.queue_copy(copy, route, branch); });
  const bool from_here = device_of(copy.from) == number();
  arch::CopyWork work;
  work.way = way_of(route, from_here);
  work.pageable = route == Route::kPageableToDevice || route == Route::kPageableFromDevice;
  work.bytes = bytes;
  work.to = place_of(copy.to);
  work.from = place_of(copy.from);
  work.staged = route == Route::kPeer && staged_copy(copy);
  work.carry_out = [this, copy] { copier_.run(copy); };
  const bool row =
      copy.height * copy.depth == 1 && copy.from.array == nullptr && copy.from.y == 0 && copy.from.z == 0;
  const bool staged = route == Route::kPageableToDevice && row;
  if (staged)
    work.carry_out = [this, copy = copy, bytes = staged_bytes(copy)]() mutable {
      copy.from.address = reinterpret_cast<uint64_t>(bytes->data());
      copy.from.x = 0;
      copier_.run(copy);
    };
  const bool waits = work.pageable && !staged;
  const Moved what = moved_by(work.way);
  TransferRecord record{what, bytes, stream.id, work.pageable, number()};
  work.ended = [this, record](uint64_t begin, uint64_t end) mutable {
    record.start = queue_->time_of(begin);
    record.end = queue_->time_of(end);
    records_.add(record);
  };
  queue_->copy(stream, std::move(work));
  if (waits) queue_->synchronise(stream);
}

void Context::queue_fill(const Fill& fill, Stream& stream) {
  const auto facts = memory_.facts(fill.address);
  if (facts && facts->on_device() && facts->device != number())
    for (Context* other : others_)
      if (other->number() == facts->device)
        return queue_->on_another(stream, *other->queue_,
                                  [&](Stream& branch) { other->queue_fill(fill, branch); });
  arch::CopyWork work;
  work.way = arch::CopyWay::kFill;
  work.bytes = fill.width * fill.element * fill.height * fill.depth;
  work.to = fill.address;
  work.carry_out = [this, fill] { copier_.run(fill); };
  TransferRecord record{Moved::kFilled, work.bytes, stream.id, false, number()};
  work.ended = [this, record](uint64_t begin, uint64_t end) mutable {
    record.start = queue_->time_of(begin);
    record.end = queue_->time_of(end);
    records_.add(record);
  };
  queue_->copy(stream, std::move(work));
}

// ---------------------------------------------------------------- what has ended is forgotten

void Context::collect_tickets(unsigned device, std::vector<uint64_t>& tickets) {
  queue_->collect_tickets(device, tickets);
  if (number() == device)
    for (const LetGo& block : pools_.blocks_let_go()) tickets.push_back(block.ticket);
  std::erase_if(graph_ends_, [](const auto& end) { return end.second.expired(); });
  for (const auto& [key, end] : graph_ends_)
    if (const auto last = end.lock(); last->device == device) tickets.push_back(last->ticket);
}

// Where a call of the program begins, whose tickets are all where they can be collected. Other threads' calls
// may be under way in the machine.
void Context::forget_ended() {
  if (!queue_ || !queue_->much_submitted() || queue_->busy() ||
      std::any_of(others_.begin(), others_.end(), [](const Context* c) { return c->queue_->busy(); }))
    return;
  std::vector<uint64_t> tickets;
  collect_tickets(number(), tickets);
  for (Context* other : others_) other->collect_tickets(number(), tickets);
  queue_->forget_all_but(tickets);
  launcher_.forget_numbers();
}

// Callbacks are told of a fault, whatever becomes of what stands before them.
void Context::queue_callback(const HostCallback& callback, Stream& stream) {
  const uint64_t number = next_callback_++;
  callbacks_[number] = callback;
  queue_->call(stream, [this, number](Time) {
    const auto taken = callbacks_.extract(number);
    const HostCallback& h = taken.mapped();
    call_host([&] { h.function(h.stream, launcher_.fault(), h.data); });
  });
}

void Context::call_callbacks_with(int status) {
  const auto all = std::exchange(callbacks_, {});
  for (const auto& [number, h] : all) call_host([&h = h, status] { h.function(h.stream, status, h.data); });
}

}  // namespace gpuloom::host
