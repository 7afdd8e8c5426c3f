// SPDX-License-Identifier: Apache-2.0
#include "sim/host/memory.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

// Pitch of cudaMallocPitch on an H200 and on every GPU of 5.0 to 12.0: texturePitchAlignment is 32 bytes, and
// rows begin at 512.
constexpr uint64_t kPitch = 512;

}  // namespace

uint64_t Memory::take(uint64_t bytes, sim::MemoryKind kind) {
  try {
    return memory_.allocate(bytes, {}, sim::DeviceMemory::kAlignment, kind);
  } catch (const Error& error) {
    throw Failure(Status::kMemoryAllocation, error.message());
  }
}

uint64_t Memory::allocate(uint64_t bytes) { return bytes == 0 ? 0 : take(bytes, sim::MemoryKind::kDevice); }

bool Memory::allocate_at(uint64_t address, uint64_t bytes) {
  try {
    memory_.allocate_at(address, bytes);
    return true;
  } catch (const Error&) {
    return false;
  }
}

uint64_t Memory::allocate_managed(uint64_t bytes) {
  return bytes == 0 ? 0 : take(bytes, sim::MemoryKind::kManaged);
}

Pitched Memory::allocate_pitched(uint64_t width, uint64_t height, uint64_t depth) {
  if (width == 0 || height == 0 || depth == 0) return {0, 0};
  const uint64_t pitch = (width + kPitch - 1) / kPitch * kPitch;
  require(height <= UINT64_MAX / pitch && depth <= UINT64_MAX / (pitch * height), Status::kMemoryAllocation);
  return {allocate(pitch * height * depth), pitch};
}

void Memory::free(uint64_t address) {
  if (address == 0) return;
  if (before_free_) before_free_();
  const sim::Allocation* block = memory_.find(address);
  require(block != nullptr && block->address == address &&
          (block->kind == sim::MemoryKind::kDevice || block->kind == sim::MemoryKind::kManaged));
  std::erase_if(advice_, [&](const Advice& a) { return a.begin >= address && a.end <= block->end(); });
  memory_.free(address);
}

uint64_t Memory::allocate_pinned(uint64_t bytes, uint32_t flags) {
  if (bytes == 0) return 0;
  const uint64_t address = take(bytes, sim::MemoryKind::kPinned);
  flags_[address] = flags;
  return address;
}

void Memory::free_pinned(uint64_t address) {
  if (address == 0) return;
  if (before_free_) before_free_();
  const sim::Allocation* block = memory_.find(address);
  require(block != nullptr && block->address == address && block->kind == sim::MemoryKind::kPinned);
  memory_.free(address);
  flags_.erase(address);
}

void Memory::register_host(uint64_t address, uint64_t bytes, uint32_t flags) {
  require(address != 0 && bytes != 0);
  for (const Memory* peer : peers_)
    require(!peer->owns(address) && !peer->owns(address + bytes - 1), Status::kHostMemoryAlreadyRegistered);
  try {
    memory_.register_host(address, bytes);
  } catch (const Error& error) {
    throw Failure(Status::kHostMemoryAlreadyRegistered, error.message());
  }
  flags_[address] = flags;
}

void Memory::unregister_host(uint64_t address) {
  require(address != 0);
  if (before_free_) before_free_();
  try {
    memory_.unregister_host(address);
  } catch (const Error& error) {
    throw Failure(Status::kHostMemoryNotRegistered, error.message());
  }
  flags_.erase(address);
}

uint32_t Memory::host_flags(uint64_t address) const {
  const sim::Allocation* block = memory_.find(address);
  require(block != nullptr);
  const auto known = flags_.find(block->address);
  require(known != flags_.end());
  return known->second;
}

void Memory::add_peer(Memory& peer) {
  peers_.push_back(&peer);
  memory_.add_peer(peer.memory_);
}

void Memory::remove_peer(Memory& peer) {
  std::erase(peers_, &peer);
  memory_.remove_peer(peer.memory_);
}

const Memory* Memory::holder(uint64_t address) const {
  if (owns(address)) return this;
  const auto peer =
      std::find_if(peers_.begin(), peers_.end(), [&](const Memory* p) { return p->owns(address); });
  return peer == peers_.end() ? nullptr : *peer;
}

bool Memory::reaches(uint64_t address) const {
  uint64_t low = 0, high = 0;
  return memory_.locate(address, 1, low, high);
}

std::optional<PointerFacts> Memory::facts(uint64_t address) const {
  const Memory* holds = holder(address);
  if (holds == nullptr) return std::nullopt;
  const sim::Allocation& block = *holds->memory_.find(address);
  return PointerFacts{block.kind, block.address, block.size, holds->device_};
}

bool Memory::on_device(uint64_t address, uint64_t bytes) const {
  const Memory* holds = holder(address);
  const sim::Allocation* block = holds == nullptr ? nullptr : holds->memory_.find(address);
  if (block != nullptr) {
    if (bytes <= block->end() - address) return true;
    // Host memory of which a part is registered stays host memory beyond it.
    if (block->kind == sim::MemoryKind::kRegistered) return false;
    throw Failure(Status::kInvalidValue, memory_.describe(address, bytes));
  }
  const bool of_device =
      memory_.holds_address(address) ||
      std::any_of(peers_.begin(), peers_.end(), [&](Memory* p) { return p->memory_.holds_address(address); });
  if (bytes != 0 && of_device) throw Failure(Status::kInvalidValue, memory_.describe(address, bytes));
  return false;
}

void Memory::require_managed(uint64_t address, uint64_t bytes) const {
  const auto known = facts(address);
  require(known && known->kind == sim::MemoryKind::kManaged && bytes != 0 &&
          bytes <= known->begin + known->size - address);
}

void Memory::advise(uint64_t address, uint64_t bytes, Advised what, int place) {
  require_managed(address, bytes);
  std::erase_if(advice_, [&](const Advice& a) {
    return a.what == what && a.begin >= address && a.end <= address + bytes;
  });
  advice_.push_back({address, address + bytes, what, place});
}

int Memory::advised(uint64_t address, uint64_t bytes, Advised what) const {
  require_managed(address, bytes);
  constexpr uint64_t kPage = 4096;
  const auto of_page = [&](uint64_t at) {
    int place = kNowhere;
    for (const Advice& a : advice_)
      if (a.what == what && a.begin <= at && at < a.end) place = a.place;
    return place;
  };
  const int first = of_page(address);
  for (uint64_t at = address / kPage * kPage + kPage; at < address + bytes; at += kPage)
    if (of_page(at) != first) return kNowhere;
  return first;
}

}  // namespace gpuloom::host
