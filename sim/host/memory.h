// SPDX-License-Identifier: Apache-2.0
// Memory as a CUDA program sees it: one address space of the host and the device (unified addressing).
//
// Device memory lies in the process at its own addresses (sim/memory, HostPlacement::kSameAddress), so
// managed and pinned memory are allocations that both sides use, and a pointer says by itself whose it is.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/memory/device_memory.h"

namespace gpuloom::host {

// What cudaPointerGetAttributes tells of a pointer. Nothing known: host memory that nobody registered.
struct PointerFacts {
  sim::MemoryKind kind = sim::MemoryKind::kDevice;
  uint64_t begin = 0, size = 0;
  unsigned device = 0;  // that has it, or whose call made it
  bool on_device() const { return kind == sim::MemoryKind::kDevice || kind == sim::MemoryKind::kMapped; }
};

// What a program has said of a range of managed memory, kept for who asks: where pages are makes no
// difference.
enum class Advised : uint8_t { kReadMostly, kPreferred, kAccessedBy, kPrefetched };
constexpr int kNowhere = -2;  // cudaInvalidDeviceId

struct Pitched {
  uint64_t address = 0, pitch = 0;
};

class Memory {
 public:
  explicit Memory(sim::DeviceMemory& memory, unsigned device = 0) : memory_(memory), device_(device) {}

  // Another device of the program: its memory is seen from here (facts, on_device).
  void add_peer(Memory& peer);
  void remove_peer(Memory& peer);

  // All throw Failure: kMemoryAllocation where there is none left, kInvalidValue for what CUDA refuses.
  uint64_t allocate(uint64_t bytes);
  // The same at an address that was freed. False: somebody has it.
  bool allocate_at(uint64_t address, uint64_t bytes);
  uint64_t allocate_managed(uint64_t bytes);
  // Rows of `width` bytes at a multiple of the pitch that the device's copies and textures like.
  Pitched allocate_pitched(uint64_t width, uint64_t height, uint64_t depth);
  void free(uint64_t address);  // device or managed memory; 0 does nothing

  uint64_t allocate_pinned(uint64_t bytes, uint32_t flags);
  void free_pinned(uint64_t address);  // 0 does nothing
  void register_host(uint64_t address, uint64_t bytes, uint32_t flags);
  void unregister_host(uint64_t address);
  uint32_t host_flags(uint64_t address) const;  // of pinned or registered memory that holds the address

  std::optional<PointerFacts> facts(uint64_t address) const;
  // Whether kernels of this device may touch it: another device's memory where peer access is enabled.
  bool reaches(uint64_t address) const;
  bool owns(uint64_t address) const { return memory_.find(address) != nullptr; }
  // Whether kernels may touch [address, address + bytes). A range that begins in device memory and leaves
  // its allocation, or lies in the device's window and in no allocation, is a Failure (kInvalidValue).
  bool on_device(uint64_t address, uint64_t bytes) const;

  // Is called before memory is freed that work under way may use.
  void before_free(std::function<void()> function) { before_free_ = std::move(function); }
  void settle() {
    if (before_free_) before_free_();
  }

  // Of a range of managed memory; throws Failure (kInvalidValue) for another. A place is a device, or -1 for
  // the host; of a range it is kNowhere where its pages differ.
  void advise(uint64_t address, uint64_t bytes, Advised what, int place);
  int advised(uint64_t address, uint64_t bytes, Advised what) const;

  uint64_t used() const { return memory_.used(); }
  uint64_t capacity() const { return memory_.capacity(); }
  sim::DeviceMemory& device() { return memory_; }

 private:
  struct Advice {
    uint64_t begin, end;
    Advised what;
    int place;
  };
  void require_managed(uint64_t address, uint64_t bytes) const;
  uint64_t take(uint64_t bytes, sim::MemoryKind kind);

  // Which memory of this and its peers holds the address; null: none.
  const Memory* holder(uint64_t address) const;

  sim::DeviceMemory& memory_;
  unsigned device_;
  std::vector<Memory*> peers_;
  std::function<void()> before_free_;
  std::vector<Advice> advice_;                    // a later one counts
  std::unordered_map<uint64_t, uint32_t> flags_;  // of pinned and registered memory, by its begin
};

}  // namespace gpuloom::host
