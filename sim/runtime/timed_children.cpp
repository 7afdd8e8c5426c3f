// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/timed_children.h"

#include <memory>

namespace gpuloom::sim {
namespace {

// Below are streams that have names: 0 to 2 are the block's own, 3 the tail, 4 fire and forget.
constexpr uint64_t kFirstStream = 0x100;

}  // namespace

TimedChildren::TimedChildren(Device& device, const Kernel& kernel, const LaunchOptions& options, int priority)
    : device_(device),
      options_(options),
      priority_(priority),
      one_order_(has_events_between_children(*kernel.program)),
      calls_(device, *kernel.module, [this](const Child& child) { take(child); }) {}

void TimedChildren::provide(ptx::Launch& launch) {
  calls_.provide(launch);
  launch.child_stream = [this] { return kFirstStream + streams_++; };
  launch.child_call_ns = static_cast<uint64_t>(device_.gpu().launch.child_call_ns);
}

// A block's streams are its own. Where a kernel lets streams wait for each other, all that a block launches
// goes in one order, which is one of those that CUDA allows.
arch::WorkOrder TimedChildren::order(const Child& child) {
  arch::WorkOrder o;
  o.parent = parent_;
  o.tail = child.at_tail();
  o.arrival = child.caller.cycle + device_.gpu().launch.child_cycles;
  return o;
}

void TimedChildren::take(const Child& child) {
  arch::WorkOrder o = order(child);
  const auto submitted = [&] { return child.copy ? submit(*child.copy, o) : submit(child, o); };
  if (o.tail || child.fired()) {
    submitted();
    return;
  }
  const uint64_t stream = one_order_ || child.stream < kFirstStream ? 0 : child.stream;
  arch::Ticket& last = last_[{child.caller.block, stream}];
  if (last != 0) o.after = {last};
  last = submitted();
}

arch::Ticket TimedChildren::submit(const Child& child, const arch::WorkOrder& order) {
  const LaunchRequest request = calls_.request(child);
  const auto taker = std::make_shared<EndedFn>();
  const arch::Ticket ticket = device_.submit(request, options_, order, priority_,
                                             [taker](const LaunchRequest& its, const LaunchOutcome& outcome) {
                                               if (*taker) (*taker)(its, outcome);
                                             });
  if (options_.child_launched) *taker = options_.child_launched(request, ticket);
  return ticket;
}

arch::Ticket TimedChildren::submit(const ptx::ChildCopy& copy, const arch::WorkOrder& order) {
  arch::CopyWork work;
  work.way = copy.fill ? arch::CopyWay::kFill : arch::CopyWay::kWithin;
  work.bytes = copy.width * copy.height;
  work.to = copy.to;
  work.from = copy.from;
  work.carry_out = [&device = device_, copy] { carry_out(device, copy); };
  return device_.machine().submit(std::move(work), order);
}

}  // namespace gpuloom::sim
