// SPDX-License-Identifier: Apache-2.0
#include "sim/host/pool.h"

#include <algorithm>

#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

// cudaMemPoolAttr.
enum : int {
  kReuseEvent = 1,
  kReuseOpportunistic = 2,
  kReuseInternal = 3,
  kThreshold = 4,
  kReserved = 5,
  kReservedHigh = 6,
  kUsed = 7,
  kUsedHigh = 8
};

}  // namespace

Pool& Pools::create(uint64_t most, bool shareable) {
  auto pool = std::make_unique<Pool>();
  pool->most = most;
  pool->shareable = shareable;
  Pool& created = *pool;
  pools_[&created] = std::move(pool);
  return created;
}

Pool& Pools::import() {
  Pool& pool = create(0, true);
  pool.imported = true;
  return pool;
}

bool Pools::shareable(uint64_t address) const {
  const auto block = blocks_.find(address);
  return block != blocks_.end() && block->second.pool != nullptr && block->second.pool->shareable;
}

Pool& Pools::checked(Pool* pool) {
  require(pool == &standard_ || pools_.contains(pool));
  return *pool;
}

void Pools::destroy(Pool& pool) {
  require(!pool.standard);
  if (current_ == &pool) current_ = &standard_;
  // Blocks that live on are nobody's; they stay valid until they are freed.
  for (auto& [address, block] : blocks_)
    if (block.pool == &pool) block.pool = nullptr;
  pools_.erase(&pool);
}

uint64_t Pools::allocate(Pool& pool, uint64_t bytes) {
  if (bytes == 0) return 0;
  require(!pool.imported);
  require(pool.most == 0 || bytes <= pool.most - std::min(pool.most, pool.used), Status::kMemoryAllocation);
  const uint64_t address = memory_.allocate(bytes);
  blocks_[address] = {&pool, bytes};
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  return address;
}

void Pools::forget(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return;
  if (block->second.pool != nullptr) block->second.pool->used -= block->second.bytes;
  blocks_.erase(block);
}

void Pools::free(uint64_t address) {
  if (!graph_blocks_.contains(address)) memory_.free(address);
  forget(address);
}

uint64_t Pools::reserve_for_graph(uint64_t bytes) {
  require(bytes != 0);
  const uint64_t address = memory_.allocate(bytes);
  graph_blocks_[address] = bytes;
  reserved_for_graphs_ += bytes;
  return address;
}

void Pools::take_for_graph(uint64_t address) {
  if (blocks_.contains(address)) return;  // a launch before has not let it go
  const uint64_t bytes = graph_blocks_.at(address);
  blocks_[address] = {&graphs_, bytes};
  graphs_.used += bytes;
  graphs_.used_high = std::max(graphs_.used_high, graphs_.used);
}

uint64_t Pools::attribute(const Pool& pool, int attribute) const {
  switch (attribute) {
    case kReuseEvent:
      return static_cast<uint64_t>(pool.reuse_event);
    case kReuseOpportunistic:
      return static_cast<uint64_t>(pool.reuse_opportunistic);
    case kReuseInternal:
      return static_cast<uint64_t>(pool.reuse_internal);
    case kThreshold:
      return pool.threshold;
    case kReserved:  // nothing is kept beyond what is in use
    case kUsed:
      return pool.used;
    case kReservedHigh:
    case kUsedHigh:
      return pool.used_high;
    default:
      throw Failure(Status::kInvalidValue);
  }
}

void Pools::set_attribute(Pool& pool, int attribute, uint64_t value) {
  switch (attribute) {
    case kReuseEvent:
      pool.reuse_event = static_cast<int>(value);
      return;
    case kReuseOpportunistic:
      pool.reuse_opportunistic = static_cast<int>(value);
      return;
    case kReuseInternal:
      pool.reuse_internal = static_cast<int>(value);
      return;
    case kThreshold:
      pool.threshold = value;
      return;
    case kReservedHigh:
    case kUsedHigh:
      require(value == 0);
      pool.used_high = pool.used;
      return;
    default:
      throw Failure(Status::kInvalidValue);
  }
}

}  // namespace gpuloom::host
