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

// Pools take memory from the device in pieces of 32 MiB (H200: tests/cuda/rules).
constexpr uint64_t kReserve = 32 << 20;
// So many blocks are remembered that may come again.
constexpr size_t kRemembered = 1024;

}  // namespace

Pool& Pools::create(uint64_t most, bool shareable) {
  Pool& created = pools_.make();
  created.most = most;
  created.shareable = shareable;
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
  require(pool == &standard_ || pools_.holds(pool));
  return *pool;
}

void Pools::destroy(Pool& pool) {
  require(!pool.standard);
  if (current_ == &pool) current_ = &standard_;
  // Blocks that live on are nobody's; they stay valid until they are freed.
  for (auto& [address, block] : blocks_)
    if (block.pool == &pool) block.pool = nullptr;
  std::erase_if(let_go_, [&](const LetGo& b) { return b.pool == &pool && !b.pending; });
  for (LetGo& b : let_go_)
    if (b.pool == &pool) b.pool = nullptr;
  pools_.erase(pool);
}

// The addresses of what is free already may have been given away since.
bool Pools::take_again(const LetGo& block) {
  return block.pending || memory_.allocate_at(block.address, block.bytes);
}

uint64_t Pools::reserved(const Pool& pool) {
  return (pool.used + pool.kept + kReserve - 1) / kReserve * kReserve;
}

uint64_t Pools::allocate(Pool& pool, uint64_t bytes, const MayFn& may) {
  if (bytes == 0) return 0;
  require(!pool.imported);
  require(pool.most == 0 || bytes <= pool.most - std::min(pool.most, pool.used), Status::kMemoryAllocation);
  uint64_t address = 0;
  for (auto b = let_go_.rbegin(); address == 0 && b != let_go_.rend(); ++b) {
    if (b->pool != &pool || b->bytes != bytes || !may || !may(*b) || !take_again(*b)) continue;
    address = b->address;
    pool.kept -= std::min(pool.kept, bytes);
    let_go_.erase(std::next(b).base());
    break;
  }
  if (address == 0) address = memory_.allocate(bytes);
  blocks_[address] = {&pool, bytes};
  pool.used += bytes;
  pool.reserved_high = std::max(pool.reserved_high, reserved(pool));
  pool.used_high = std::max(pool.used_high, pool.used);
  return address;
}

void Pools::forget(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return;
  if (block->second.pool != nullptr) block->second.pool->used -= block->second.bytes;
  blocks_.erase(block);
}

uint64_t Pools::let_go(LetGo block) {
  const auto known = blocks_.find(block.address);
  if (known == blocks_.end() || known->second.pool == nullptr || known->second.pool == &graphs_) {
    require(std::none_of(let_go_.begin(), let_go_.end(),
                         [&](const LetGo& b) { return b.pending && b.address == block.address; }));
    return 0;
  }
  block.number = ++numbers_;
  block.pool = known->second.pool;
  block.bytes = known->second.bytes;
  forget(block.address);
  if (!block.pending) memory_.free(block.address);
  block.pool->kept += block.bytes;
  let_go_.push_back(block);
  if (let_go_.size() > kRemembered && !let_go_.front().pending) let_go_.pop_front();
  return block.number;
}

void Pools::free_let_go(uint64_t number) {
  for (LetGo& b : let_go_)
    if (b.number == number) {
      b.pending = false;
      memory_.free(b.address);
      return;
    }
}

void Pools::trim(Pool& pool, uint64_t keep) {
  while (pool.kept != 0 && reserved(pool) > keep) pool.kept -= std::min(pool.kept, kReserve);
}

void Pools::give_back() {
  trim(standard_, standard_.threshold);
  pools_.for_each([&](Pool& pool) { trim(pool, pool.threshold); });
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
    case kReserved:
      return reserved(pool);
    case kUsed:
      return pool.used;
    case kReservedHigh:
      return pool.reserved_high;
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
      require(value == 0);
      pool.reserved_high = reserved(pool);
      return;
    case kUsedHigh:
      require(value == 0);
      pool.used_high = pool.used;
      return;
    default:
      throw Failure(Status::kInvalidValue);
  }
}

}  // namespace gpuloom::host
