// SPDX-License-Identifier: Apache-2.0
// A context beside those of other devices: access to each other's memory, and whose work a copy is.
#include <algorithm>

#include "sim/host/context.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

uint64_t place_of(const CopySide& side) {
  return (side.array != nullptr ? side.array->state.address : side.address) + side.x;
}

}  // namespace

void Context::meet(Context& other) {
  others_.push_back(&other);
  memory_.add_peer(other.memory_);
  captures_.meet(other.captures_);
}

void Context::part(Context& other) {
  std::erase(others_, &other);
  memory_.remove_peer(other.memory_);
  captures_.part(other.captures_);
}

void Context::enable_peer(Context& other) {
  sim::DeviceMemory& there = other.device_.memory();
  require(!device_.memory().peer_access(there), Status::kPeerAccessAlreadyEnabled);
  device_.memory().set_peer_access(there, true);
}

// What is under way may still reach there.
void Context::disable_peer(Context& other) {
  sim::DeviceMemory& there = other.device_.memory();
  require(device_.memory().peer_access(there), Status::kPeerAccessNotEnabled);
  carry_out_all();
  device_.memory().set_peer_access(there, false);
}

void Context::come_after(Context& other) {
  Stream& mine = timeline_.legacy();
  const Stream& its = other.timeline_.legacy();
  if (queue_) return queue_->come_after(mine, *other.queue_, its);
  timeline_.occupy(mine, Engine::kNone, std::max(timeline_.end_of(mine), other.timeline_.end_of(its)), 0);
}

Context& Context::mover(const Copy& copy, Route route) {
  const auto place = [&](const CopySide& side) {
    const auto facts = memory_.facts(place_of(side));
    return facts && facts->on_device() ? static_cast<int>(facts->device) : -1;
  };
  const int to = place(copy.to), from = place(copy.from), here = static_cast<int>(number());
  if (to == here || from == here || (to < 0 && from < 0)) return *this;
  const int best = route == Route::kPeer || to < 0 ? from : to;
  const auto other = std::find_if(others_.begin(), others_.end(),
                                  [&](Context* c) { return static_cast<int>(c->number()) == best; });
  return other == others_.end() ? *this : **other;
}

bool Context::staged_copy(const Copy& copy) const {
  const unsigned to = copier_.device_of(copy.to), from = copier_.device_of(copy.from);
  const unsigned there = to == number() ? from : to;
  const auto other =
      std::find_if(others_.begin(), others_.end(), [&](const Context* c) { return c->number() == there; });
  if (other == others_.end()) return true;
  return !device_.memory().peer_access((*other)->device_.memory()) &&
         !(*other)->device_.memory().peer_access(device_.memory());
}

}  // namespace gpuloom::host
