// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/memory_queues.h"

#include "arch/sm/lsu_latency.h"

namespace gpuloom::arch {

MemoryQueues::MemoryQueues(const SmConfig& config) : config_(config), queues_(config.sub_cores) {
  const uint32_t entries = config.memory.queue_entries + config.memory.latch_entries;
  for (Queue& q : queues_) q.ring.resize(entries);
  input_.ring.resize(config.memory.input_entries);
  ops_.resize(config.sub_cores * (entries + 1) + config.memory.input_entries);
  for (uint32_t i = 0; i < ops_.size(); ++i) free_ops_.push_back(i);
  filling_.assign(config.sub_cores, kNil);
  passes_due_.assign(config.limits.warps_per_sm, 0);
}

bool MemoryQueues::empty() const {
  return input_.count == 0 &&
         std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.count == 0; });
}

MemoryOp* MemoryQueues::first_shared() {
  for (shared_at_ = 0; shared_at_ < input_.count; ++shared_at_)
    if (MemoryOp& op = ops_[input_.at(shared_at_)]; op.kind == MemoryKind::kShared) return &op;
  return nullptr;
}

MemoryOp& MemoryQueues::reserve(unsigned sub) {
  if (filling_[sub] == kNil) {
    filling_[sub] = free_ops_.back();
    free_ops_.pop_back();
  }
  return ops_[filling_[sub]];
}

void MemoryQueues::commit(unsigned sub, Cycle now) {
  MemoryOp& op = ops_[filling_[sub]];
  if (op.kind == MemoryKind::kShared)
    passes_due_[op.warp] =
        std::max(now, passes_due_[op.warp]) + op.passes.passes * config_.shared.next_pass();
  op.ready = now + kFront;
  queues_[sub].push(filling_[sub]);
  filling_[sub] = kNil;
  next_ = std::min(next_, std::max(now + kFront, accept_free_));
}

}  // namespace gpuloom::arch
