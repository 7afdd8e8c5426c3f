// SPDX-License-Identifier: Apache-2.0
// Grids that a kernel launches in time: each is work of the machine, which comes after what its block has
// launched into the same stream before.
#pragma once
#include <map>
#include <utility>

#include "sim/runtime/child_grids.h"

namespace gpuloom::sim {

class TimedChildren {
 public:
  TimedChildren(Device& device, const Kernel& kernel, const LaunchOptions& options, int priority);
  void provide(ptx::Launch& launch);
  // The ticket of the kernel that launches, before it runs.
  void belong_to(arch::Ticket parent) { parent_ = parent; }

 private:
  void take(const Child& child);
  arch::WorkOrder order(const Child& child);
  arch::Ticket submit(const Child& child, const arch::WorkOrder& order);
  arch::Ticket submit(const ptx::ChildCopy& copy, const arch::WorkOrder& order);

  Device& device_;
  LaunchOptions options_;
  int priority_;
  bool one_order_;
  ChildCalls calls_;
  arch::Ticket parent_ = 0;
  uint64_t streams_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, arch::Ticket> last_;  // by block and stream
};

}  // namespace gpuloom::sim
