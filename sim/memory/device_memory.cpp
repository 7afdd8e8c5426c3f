// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/device_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace gpuloom::sim {
namespace {

constexpr uint64_t kCommitStep = 64ull << 20;
// Blocks that rest after being freed: enough to catch a stale pointer, few enough to search.
constexpr size_t kRestingBlocks = 256;

// A field or an element of what a null pointer would point to.
constexpr uint64_t kNearNull = 16ull << 20;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::string block_name(const Allocation& a) {
  return a.name.empty() ? fmt::format("an allocation of {} bytes at {:#x}", a.size, a.address)
                        : fmt::format("'{}' ({} bytes at {:#x})", a.name, a.size, a.address);
}

}  // namespace

DeviceMemory::DeviceMemory(uint64_t capacity, HostPlacement placement, Share share)
    : capacity_(capacity),
      placement_(placement),
      origin_(ptx::kGlobalBase + share.device * share.span()),
      next_(origin_) {
  reserve(share.devices == 1 ? UINT64_MAX : share.span() - kLargePage);
}

void DeviceMemory::reserve(uint64_t most) {
  const bool same = placement_ == HostPlacement::kSameAddress;
  void* const wanted = same ? reinterpret_cast<void*>(origin_) : nullptr;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (same ? MAP_FIXED_NOREPLACE : 0);
  // Address space costs nothing until it is used; take room for guards and for blocks that rest. Where the
  // process may not reserve that much (ulimit -v), less will do for a while.
  const uint64_t liked = round_up(capacity_ * 4 + (1ull << 30), kLargePage);
  for (reserved_ = std::min(liked, most); reserved_ >= kCommitStep; reserved_ /= 2) {
    void* place = mmap(wanted, reserved_ + kLargePage, PROT_NONE, flags, -1, 0);
    if (place == MAP_FAILED) continue;
    place_ = static_cast<uint8_t*>(place);
    base_ = place_ - (origin_ - ptx::kGlobalBase);
    if (!same || place == wanted) return;
    munmap(place, reserved_ + kLargePage);  // a kernel before 4.17 takes the address as a hint
    break;
  }
  throw Error(ErrorKind::kInput, "cannot reserve address space for device memory", {},
              same ? fmt::format("the process has something at {:#x}, or `ulimit -v` forbids it", origin_)
                   : "raise the limit that `ulimit -v` shows");
}

DeviceMemory::~DeviceMemory() {
  while (!shared_.empty()) take_file_away(shared_.begin()->first);
  munmap(place_, reserved_ + kLargePage);
}

void DeviceMemory::commit(uint64_t end) {
  const uint64_t wanted = end - origin_;
  if (wanted <= committed_) return;
  const uint64_t to = std::min(round_up(wanted, kCommitStep), reserved_);
  if (wanted > reserved_ || mprotect(place_ + committed_, to - committed_, PROT_READ | PROT_WRITE) != 0)
    throw Error(ErrorKind::kProgram, "the host has no address space left for device memory");
  madvise(place_ + committed_, to - committed_, MADV_HUGEPAGE);  // a hint; failure changes nothing
  committed_ = to;
}

uint64_t DeviceMemory::take_from_free(uint64_t span, uint64_t align) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const uint64_t begin = round_up(it->first, align), end = it->second;
    if (begin >= end || end - begin < span) continue;
    const uint64_t before = it->first;
    free_.erase(it);
    if (before < begin) free_[before] = begin;
    if (begin + span < end) free_[begin + span] = end;
    return begin;
  }
  return 0;
}

uint64_t DeviceMemory::take(uint64_t span, uint64_t align) {
  if (const uint64_t begin = take_from_free(span, align); begin != 0) return begin;
  const uint64_t limit = origin_ + reserved_;
  const uint64_t begin = round_up(next_, align);
  if (begin < limit && limit - begin >= span) {
    if (next_ < begin) add_free({next_, begin});
    next_ = begin + span;
    return begin;
  }
  while (!resting_.empty()) {
    release_oldest();
    if (const uint64_t found = take_from_free(span, align); found != 0) return found;
  }
  return 0;
}

// Takes exactly these addresses where nobody has them. Freed blocks that rest do not have them any more.
bool DeviceMemory::take_at(Extent extent) {
  while (!resting_.empty()) release_oldest();
  if (extent.begin >= next_) {
    if (next_ < extent.begin) add_free({next_, extent.begin});
    next_ = extent.end;
    return true;
  }
  if (extent.end > next_) {  // begins in the last free extent, and goes on behind it
    add_free({next_, extent.end});
    next_ = extent.end;
  }
  auto hole = free_.upper_bound(extent.begin);
  if (hole == free_.begin()) return false;
  --hole;
  const Extent free{hole->first, hole->second};
  if (free.end < extent.end) return false;
  free_.erase(hole);
  if (free.begin < extent.begin) free_[free.begin] = extent.begin;
  if (extent.end < free.end) free_[extent.end] = free.end;
  return true;
}

void DeviceMemory::check_capacity(uint64_t size, const std::string& name) const {
  if (size <= capacity_ - used_) return;
  throw Error(
      ErrorKind::kProgram,
      fmt::format("out of device memory (cudaErrorMemoryAllocation): {}{} bytes asked for, {} of {} free",
                  name.empty() ? "" : "'" + name + "': ", with_thousands(size),
                  with_thousands(capacity_ - used_), with_thousands(capacity_)));
}

void DeviceMemory::add(uint64_t begin, uint64_t span, uint64_t size, std::string name, MemoryKind kind) {
  commit(begin + span);
  insert({begin, size, std::move(name), kind}, {begin, begin + span});
  used_ += kind == MemoryKind::kDevice ? size : 0;
  peak_ = std::max(peak_, used_);
  if (written_ != nullptr) written_->clear(begin, size);
}

uint64_t DeviceMemory::allocate_at(uint64_t address, uint64_t size, std::string name, MemoryKind kind) {
  if (kind == MemoryKind::kDevice) check_capacity(size, name);
  const uint64_t span = round_up(size + kGuard, kAlignment);
  const uint64_t offset = address - origin_;
  if (address % kAlignment != 0 || offset >= reserved_ || reserved_ - offset < span)
    throw Error(ErrorKind::kUsage,
                fmt::format("{:#x} is not an address that the device gives to memory of {} bytes", address,
                            with_thousands(size)),
                {},
                fmt::format("multiples of {} from {:#x} to {:#x}", kAlignment, origin_, origin_ + reserved_));
  if (!take_at({address, address + span}))
    throw Error(ErrorKind::kUsage, fmt::format("{} bytes at {:#x} are taken: {}", with_thousands(size),
                                               address, describe(address, size)));
  add(address, span, size, std::move(name), kind);
  return address;
}

uint64_t DeviceMemory::allocate(uint64_t size, std::string name, uint64_t align, MemoryKind kind) {
  if (kind == MemoryKind::kDevice) check_capacity(size, name);
  const bool large = size >= kLargeFrom;
  align = std::max(align, large ? kLargePage : kAlignment);
  const uint64_t span = round_up(size + kGuard, kAlignment);
  const uint64_t begin = take(span, align);
  if (begin == 0) throw Error(ErrorKind::kProgram, "out of device addresses (cudaErrorMemoryAllocation)");
  add(begin, span, size, std::move(name), kind);
  return begin;
}

void DeviceMemory::insert(Allocation allocation, Extent extent) {
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), allocation.address) - starts_.begin();
  starts_.insert(starts_.begin() + at, allocation.address);
  ends_.insert(ends_.begin() + at, allocation.end());
  extents_.insert(extents_.begin() + at, extent);
  live_.insert(live_.begin() + at, std::move(allocation));
}

void DeviceMemory::free(uint64_t address) {
  if (address == 0) return;
  const size_t at = index_of(address);
  if (at == SIZE_MAX || starts_[at] != address || live_[at].kind == MemoryKind::kRegistered ||
      live_[at].kind == MemoryKind::kMapped) {
    throw Error(ErrorKind::kUsage,
                fmt::format("free of {:#x}: {} (cudaErrorInvalidValue)", address, describe(address, 1)));
  }
  const Extent extent = extents_[at];
  if (live_[at].kind == MemoryKind::kDevice) used_ -= live_[at].size;
  take_file_away(address);
  // Give whole pages back to the host; what is left of the block is cleared so that reuse starts from zeros.
  constexpr uint64_t kHostPage = 4096;
  const uint64_t low = round_up(extent.begin, kHostPage), high = extent.end / kHostPage * kHostPage;
  if (low < high) {
    madvise(host(low), high - low, MADV_DONTNEED);
    std::memset(host(extent.begin), 0, low - extent.begin);
    std::memset(host(high), 0, extent.end - high);
  } else {
    std::memset(host(extent.begin), 0, extent.end - extent.begin);
  }
  resting_.push_back({extent, std::move(live_[at])});
  erase(at);
  if (resting_.size() > kRestingBlocks) release_oldest();
}

void DeviceMemory::erase(size_t at) {
  starts_.erase(starts_.begin() + static_cast<ptrdiff_t>(at));
  ends_.erase(ends_.begin() + static_cast<ptrdiff_t>(at));
  extents_.erase(extents_.begin() + static_cast<ptrdiff_t>(at));
  live_.erase(live_.begin() + static_cast<ptrdiff_t>(at));
}

void DeviceMemory::register_host(uint64_t address, uint64_t size) {
  if (placement_ != HostPlacement::kSameAddress || size == 0 || address + size < address)
    throw Error(ErrorKind::kUsage, "this memory cannot be registered (cudaErrorInvalidValue)");
  const auto after = std::lower_bound(starts_.begin(), starts_.end(), address);
  const auto at = static_cast<size_t>(after - starts_.begin());
  if ((after != starts_.end() && *after < address + size) || (at != 0 && ends_[at - 1] > address))
    throw Error(ErrorKind::kUsage, fmt::format("{} bytes at {:#x} overlap memory that the device has already "
                                               "(cudaErrorHostMemoryAlreadyRegistered)",
                                               size, address));
  insert({address, size, {}, MemoryKind::kRegistered}, {address, address + size});
}

void DeviceMemory::unregister_host(uint64_t address) {
  const size_t at = index_of(address);
  if (at == SIZE_MAX || starts_[at] != address || live_[at].kind != MemoryKind::kRegistered)
    throw Error(
        ErrorKind::kUsage,
        fmt::format("no host memory is registered at {:#x} (cudaErrorHostMemoryNotRegistered)", address));
  erase(at);
}

void DeviceMemory::release_oldest() {
  add_free(resting_.front().extent);
  resting_.pop_front();
}

void DeviceMemory::add_free(Extent extent) {
  auto next = free_.lower_bound(extent.begin);
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->second == extent.begin) {
      extent.begin = before->first;
      free_.erase(before);
    }
  }
  if (next != free_.end() && next->first == extent.end) {
    extent.end = next->second;
    free_.erase(next);
  }
  free_[extent.begin] = extent.end;
}

size_t DeviceMemory::index_of(uint64_t address) const {
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), address);
  return above == starts_.begin() ? SIZE_MAX : static_cast<size_t>(above - starts_.begin()) - 1;
}

bool DeviceMemory::locate(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const {
  if (locate_here(address, bytes, low, high)) return true;
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    const Allocation* there = peer.memory->find(address);
    if (there == nullptr) return false;
    const bool of_host = there->kind != MemoryKind::kDevice && there->kind != MemoryKind::kMapped;
    return (of_host || peer.accessible) && peer.memory->locate_here(address, bytes, low, high);
  });
}

void DeviceMemory::remove_peer(const DeviceMemory& peer) {
  std::erase_if(peers_, [&](const Peer& p) { return p.memory == &peer; });
}

void DeviceMemory::set_peer_access(const DeviceMemory& peer, bool accessible) {
  for (Peer& p : peers_)
    if (p.memory == &peer) p.accessible = accessible;
}

bool DeviceMemory::peer_access(const DeviceMemory& peer) const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [&](const Peer& p) { return p.memory == &peer && p.accessible; });
}

bool DeviceMemory::locate_here(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const {
  const size_t at = index_of(address);
  if (at == SIZE_MAX || address > ends_[at] || ends_[at] - address < bytes || address == ends_[at])
    return bounds_ == Bounds::kPages && locate_page(address, bytes, low, high);
  low = starts_[at];
  high = ends_[at];
  return true;
}

// The pages around an address, as far as each has a part of an allocation.
bool DeviceMemory::locate_page(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const {
  if (!holds_address(address)) return false;
  const auto used = [&](uint64_t page) {
    const size_t last = index_of(page + kLargePage - 1);
    return last != SIZE_MAX && ends_[last] > page && page - origin_ < reserved_;
  };
  low = address / kLargePage * kLargePage;
  if (!used(low)) return false;
  for (high = low + kLargePage; high < address + bytes; high += kLargePage)
    if (!used(high)) return false;
  return true;
}

ptx::FaultKind DeviceMemory::fault_kind(uint64_t address) const {
  for (const Freed& f : resting_)
    if (address >= f.was.address && address < f.was.end()) return ptx::FaultKind::kFreed;
  return ptx::FaultKind::kOutOfBounds;
}

std::string DeviceMemory::describe(uint64_t address, uint64_t bytes) const {
  if (address < kNearNull)
    return address == 0 ? "a null pointer" : fmt::format("{} bytes past a null pointer", address);
  // The youngest freed block that held the address is the likeliest story.
  for (auto f = resting_.rbegin(); f != resting_.rend(); ++f)
    if (address >= f->was.address && address < f->was.end())
      return fmt::format("{} bytes into {}, which was freed", address - f->was.address, block_name(f->was));
  for (const Peer& peer : peers_)
    if (const Allocation* there = peer.memory->find(address); there != nullptr && !peer.accessible)
      return fmt::format("inside {} of another device, to which peer access is not enabled",
                         block_name(*there));
  const size_t below = index_of(address);
  const size_t above = below == SIZE_MAX ? 0 : below + 1;
  if (below != SIZE_MAX && address < ends_[below]) {
    const uint64_t over = address + bytes > ends_[below] ? address + bytes - ends_[below] : 0;
    return over == 0
               ? fmt::format("inside {}", block_name(live_[below]))
               : fmt::format("its last {} bytes lie past the end of {}", over, block_name(live_[below]));
  }
  if (const auto range = ranges_.upper_bound(address);
      range != ranges_.begin() && address < std::prev(range)->second.end)
    return fmt::format("reserved addresses (from {:#x}) to which no memory with access is mapped",
                       std::prev(range)->first);
  const uint64_t past = below == SIZE_MAX ? UINT64_MAX : address - ends_[below];
  const uint64_t before = above >= starts_.size() ? UINT64_MAX : starts_[above] - address;
  if (past == UINT64_MAX && before == UINT64_MAX) return "the device has no allocations";
  if (past == 0) return fmt::format("just past the end of {}", block_name(live_[below]));
  if (past <= before) return fmt::format("{} bytes past the end of {}", past, block_name(live_[below]));
  return fmt::format("{} bytes before {}", before, block_name(live_[above]));
}

uint8_t* DeviceMemory::view(uint64_t address, uint64_t bytes) const {
  uint64_t low = 0, high = 0;
  if (bytes != 0 && !locate(address, bytes, low, high)) {
    throw Error(ErrorKind::kUsage, fmt::format("copy of {} bytes at {:#x}: {} (cudaErrorInvalidValue)", bytes,
                                               address, describe(address, bytes)));
  }
  return host(address);
}

void DeviceMemory::write(uint64_t address, const void* data, uint64_t bytes) {
  if (bytes == 0) return;
  std::memcpy(view(address, bytes), data, bytes);
  mark_written(address, bytes);
}

void DeviceMemory::read(uint64_t address, void* data, uint64_t bytes) const {
  if (bytes != 0) std::memcpy(data, view(address, bytes), bytes);
}

void DeviceMemory::fill(uint64_t address, uint8_t value, uint64_t bytes) {
  if (bytes == 0) return;
  std::memset(view(address, bytes), value, bytes);
  mark_written(address, bytes);
}

const Allocation* DeviceMemory::find(uint64_t address) const {
  const size_t at = index_of(address);
  return at != SIZE_MAX && address < ends_[at] ? &live_[at] : nullptr;
}

const Allocation* DeviceMemory::find_named(std::string_view name) const {
  for (const Allocation& a : live_)
    if (a.name == name) return &a;
  return nullptr;
}

std::vector<Allocation> DeviceMemory::allocations() const { return live_; }

}  // namespace gpuloom::sim
