// SPDX-License-Identifier: Apache-2.0
// Global memory of one device: an allocator over one reservation of host address space.
//
// Device addresses begin at ptx::kGlobalBase and depend only on the sequence of calls, so runs repeat. Every
// allocation keeps its exact size: bytes between the end of one and the start of the next belong to nobody,
// and touching them is a fault. Freed blocks rest before they are used again, so that a stale pointer meets a
// freed block and not somebody else's data.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/init_map.h"
#include "ptx/exec/memory_view.h"

namespace gpuloom::sim {

// Whose memory an allocation is. All but device memory is the host's, and counts for no capacity; mapped
// memory is the device's too and was counted when it was made (DeviceMemory::charge).
enum class MemoryKind : uint8_t { kDevice, kManaged, kPinned, kRegistered, kMapped };

// Where the host finds the bytes of a device address: somewhere, or at that very address, so that a program
// of the host and a kernel can share pointers (unified addressing).
enum class HostPlacement : uint8_t { kAnywhere, kSameAddress };

// Which addresses kernels may touch: those of allocations, or all in pages where there is one, as on a GPU. A
// GPU does not notice an access that leaves its allocation and stays in its page.
enum class Bounds : uint8_t { kExact, kPages };

// One allocation. `size` is what was asked for, `address` the device address.
struct Allocation {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string name;  // of the buffer or variable; empty for anonymous memory
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t end() const { return address + size; }
};

// The host's pages of an allocation as a file.
struct SharedPages {
  int file = -1;
  uint64_t begin = 0, bytes = 0;  // device address
};

class DeviceMemory final : public ptx::GlobalMemory {
 public:
  // CUDA promises 256 bytes; its driver gives 512.
  static constexpr uint64_t kAlignment = 512;
  // The driver takes device memory in 2 MiB pages and starts an allocation of 1 MiB or more on its own page.
  static constexpr uint64_t kLargePage = 2ull << 20;
  static constexpr uint64_t kLargeFrom = 1ull << 20;
  // Least distance between the end of an allocation and the next one.
  static constexpr uint64_t kGuard = 4096;

  // Devices that share addresses have these among themselves: as far as a cache policy's range reaches
  // (ptx/exec/cache_policy.h).
  static constexpr uint64_t kSharedAddresses = 2ull << 40;
  static constexpr unsigned kMostDevices = 8;
  struct Share {
    unsigned device = 0, devices = 1;
    uint64_t span() const { return kSharedAddresses / std::bit_ceil(devices); }
  };

  // `capacity` is the device's memory in bytes: allocations that live at the same time may not exceed it.
  // Several devices of one address space need HostPlacement::kSameAddress.
  explicit DeviceMemory(uint64_t capacity, HostPlacement placement = HostPlacement::kAnywhere)
      : DeviceMemory(capacity, placement, Share{}) {}
  DeviceMemory(uint64_t capacity, HostPlacement placement, Share share);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() override;

  // Memory of `size` bytes, zero-filled, aligned to kAlignment or `align` (a power of two) where that is
  // more. A size of 0 gets an address that no access can use. Throws Error (kProgram) that names
  // cudaErrorMemoryAllocation when the device is full.
  uint64_t allocate(uint64_t size, std::string name = {}, uint64_t align = kAlignment,
                    MemoryKind kind = MemoryKind::kDevice);
  // The same at an address of the caller's choice, which has to be a multiple of kAlignment: memory as
  // another process had it, with all pointers into it. Throws Error (kUsage) where that is taken or beyond
  // the device's addresses.
  uint64_t allocate_at(uint64_t address, uint64_t size, std::string name = {},
                       MemoryKind kind = MemoryKind::kDevice);
  // Makes memory that the host program owns visible at its own address, and takes it away again. For
  // HostPlacement::kSameAddress alone. Throws Error (kUsage) where it overlaps an allocation, or where
  // `address` is not the start of such memory.
  void register_host(uint64_t address, uint64_t size);
  void unregister_host(uint64_t address);
  HostPlacement placement() const { return placement_; }

  // Addresses without memory (cuMemAddressReserve): `size` bytes at `wanted` where that is free (0:
  // anywhere), else elsewhere. 0: there are none. Their size and what is mapped there are multiples of the
  // host's pages.
  uint64_t reserve_range(uint64_t size, uint64_t align, uint64_t wanted);
  void release_range(uint64_t address);
  // The bytes of a file, at addresses of a range: they are there for the host, kernels cannot touch them yet.
  void map_file(uint64_t address, uint64_t size, int file, uint64_t offset);
  void unmap_file(uint64_t address, uint64_t size);
  // Makes mapped addresses an allocation (MemoryKind::kMapped), and takes that away.
  void open(uint64_t address, uint64_t size);
  void close(uint64_t address);
  // Makes the pages of the allocation that begins here a file, with what they hold. It is closed when the
  // allocation is freed. Nothing else lies in its pages: kGuard is as large as one.
  const SharedPages& share(uint64_t address);
  // Memory of the device that is not an allocation counts too. Throws as allocate() does.
  void charge(uint64_t bytes);
  void discharge(uint64_t bytes) { used_ -= bytes; }
  // Throws Error (kUsage) when `address` is not the start of a live allocation; address 0 does nothing, as
  // cudaFree does.
  void free(uint64_t address);

  void set_bounds(Bounds bounds) { bounds_ = bounds; }
  // Memories of other devices that share addresses with this one: kernels here may touch the host's memory
  // that is kept there, and the device's own where set_peer_access() has let them.
  void add_peer(const DeviceMemory& peer) { peers_.push_back({&peer, false}); }
  void remove_peer(const DeviceMemory& peer);
  void set_peer_access(const DeviceMemory& peer, bool accessible);
  bool peer_access(const DeviceMemory& peer) const;
  bool locate(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const override;
  // What is wrong with an access, in words: "8 bytes past the end of 'c' (4096 bytes at 0x7000'0000'0000)".
  std::string describe(uint64_t address, uint64_t bytes) const override;
  // kFreed where the address lies in a block that was freed, else kOutOfBounds.
  ptx::FaultKind fault_kind(uint64_t address) const override;

  // Copies of the host; they check bounds like the device does and throw Error (kUsage) with describe().
  void write(uint64_t address, const void* data, uint64_t bytes);
  void read(uint64_t address, void* data, uint64_t bytes) const;
  void fill(uint64_t address, uint8_t value, uint64_t bytes);
  // Host view of [address, address + bytes), valid until the block is freed.
  uint8_t* view(uint64_t address, uint64_t bytes) const;

  // `map` learns which bytes the host writes and forgets them when they are allocated anew; null: nobody
  // asks.
  void observe(InitMap* map) { written_ = map; }
  // The host has written these bytes through view().
  void mark_written(uint64_t address, uint64_t bytes) {
    if (written_ != nullptr) written_->set(address, bytes);
  }

  const Allocation* find(uint64_t address) const;             // the allocation that holds the address
  const Allocation* find_named(std::string_view name) const;  // the first of that name, in address order
  std::vector<Allocation> allocations() const;                // in address order

  // Whether the address is one that this memory gives out, allocated or not.
  bool holds_address(uint64_t address) const { return address - origin_ < reserved_; }

  uint64_t capacity() const { return capacity_; }
  uint64_t used() const { return used_; }  // bytes allocated now
  uint64_t peak() const { return peak_; }  // most bytes at one time

 private:
  // An extent of device addresses, guard included.
  struct Extent {
    uint64_t begin = 0, end = 0;
  };
  struct Freed {
    Extent extent;
    Allocation was;
  };

  uint64_t take(uint64_t span, uint64_t align);
  bool take_at(Extent extent);
  void check_capacity(uint64_t size, const std::string& name) const;
  void add(uint64_t begin, uint64_t span, uint64_t size, std::string name, MemoryKind kind);
  uint64_t take_from_free(uint64_t span, uint64_t align);
  void release_oldest();
  void take_file_away(uint64_t address);
  void add_free(Extent extent);
  void commit(uint64_t end);
  void insert(Allocation allocation, Extent extent);
  void erase(size_t at);
  size_t index_of(uint64_t address) const;  // of the last allocation at or below the address; SIZE_MAX: none

  InitMap* written_ = nullptr;
  void reserve(uint64_t most);
  bool locate_here(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const;
  bool locate_page(uint64_t address, uint64_t bytes, uint64_t& low, uint64_t& high) const;

  Bounds bounds_ = Bounds::kExact;
  struct Peer {
    const DeviceMemory* memory;
    bool accessible;
  };
  std::vector<Peer> peers_;
  uint64_t capacity_;
  HostPlacement placement_;
  uint64_t origin_;           // first address
  uint8_t* place_ = nullptr;  // of it in the process
  uint64_t reserved_ = 0;     // bytes of host address space
  uint64_t committed_ = 0;    // accessible part of it, from the start
  uint64_t next_ = 0;         // first address never handed out
  uint64_t used_ = 0, peak_ = 0;
  std::vector<uint64_t> starts_, ends_;     // of live allocations, sorted: what locate() searches
  std::vector<Allocation> live_;            // parallel to them
  std::vector<Extent> extents_;             // parallel to them
  std::deque<Freed> resting_;               // freed, oldest first
  std::map<uint64_t, uint64_t> free_;       // begin -> end, neighbours merged
  std::map<uint64_t, SharedPages> shared_;  // by the begin of their allocation
  std::map<uint64_t, Extent> ranges_;       // reserved addresses, by their begin; an extent has its guard
};

}  // namespace gpuloom::sim
