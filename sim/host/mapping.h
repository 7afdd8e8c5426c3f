// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: physical memory, addresses, and which memory lies where.
//
// Physical memory is an anonymous file of the host. So it may lie at several addresses at once, its bytes
// stay when it is unmapped, and another process that gets its descriptor maps the same bytes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "sim/host/memory.h"

namespace gpuloom::host {

class Physical {
 public:
  // `charged`: it counts among the device's memory until it goes. `shareable`: its file may be given away.
  Physical(sim::DeviceMemory& memory, int file, uint64_t bytes, bool charged, bool shareable)
      : memory_(memory), file_(file), bytes_(bytes), charged_(charged), shareable_(shareable) {}
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  ~Physical();

  int file() const { return file_; }
  uint64_t bytes() const { return bytes_; }
  bool shareable() const { return shareable_; }

 private:
  sim::DeviceMemory& memory_;
  int file_;
  uint64_t bytes_;
  bool charged_, shareable_;
};

class Mappings {
 public:
  // What the driver of an H200 answers to cuMemGetAllocationGranularity, least and recommended.
  static constexpr uint64_t kGranularity = sim::DeviceMemory::kLargePage;

  explicit Mappings(Memory& memory) : memory_(memory) {}

  // All throw Failure. A handle stays until as many releases as it was made, imported and retained.
  uint64_t create(uint64_t bytes, bool shareable);
  void release(uint64_t handle);
  uint64_t retain(uint64_t address);  // the handle of what is mapped there
  const Physical& physical(uint64_t handle) const;
  int exported(uint64_t handle) const;  // a descriptor, which is the caller's then
  uint64_t import(int file);

  uint64_t reserve(uint64_t bytes, uint64_t align, uint64_t wanted);
  void free(uint64_t address, uint64_t bytes);
  void map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
  // Whole mappings, one or several side by side.
  void unmap(uint64_t address, uint64_t bytes);
  void set_access(uint64_t address, uint64_t bytes, bool accessible);
  bool accessible(uint64_t address) const;

 private:
  struct Mapping {
    uint64_t bytes = 0, handle = 0;
    std::shared_ptr<Physical> physical;
    bool accessible = false;
  };
  struct Handle {
    std::shared_ptr<Physical> physical;
    uint64_t references = 0;
  };
  using MappingAt = std::map<uint64_t, Mapping>::iterator;

  uint64_t add_handle(std::shared_ptr<Physical> physical);
  uint64_t range_of(uint64_t address, uint64_t bytes) const;
  void require_mapped(uint64_t address, uint64_t bytes) const;
  void show(uint64_t range);

  Memory& memory_;
  uint64_t next_handle_ = 1;
  std::unordered_map<uint64_t, Handle> handles_;
  std::map<uint64_t, uint64_t> ranges_;   // bytes
  std::map<uint64_t, Mapping> mappings_;  // by address
  std::map<uint64_t, uint64_t> shown_;    // what kernels may touch: neighbours are one allocation; bytes
};

}  // namespace gpuloom::host
