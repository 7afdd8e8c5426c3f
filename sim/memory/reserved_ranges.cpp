// SPDX-License-Identifier: Apache-2.0
// The part of DeviceMemory that keeps addresses and memory apart, as CUDA's virtual memory management does:
// addresses are reserved, files are mapped there, and kernels may touch what is opened.
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "sim/memory/device_memory.h"

namespace gpuloom::sim {

uint64_t DeviceMemory::reserve_range(uint64_t size, uint64_t align, uint64_t wanted) {
  align = std::max(align, kLargePage);
  const uint64_t span = (size + kGuard + kAlignment - 1) / kAlignment * kAlignment;
  const uint64_t offset = wanted - origin_;
  const bool possible =
      wanted != 0 && wanted % align == 0 && offset < reserved_ && reserved_ - offset >= span;
  const uint64_t begin = possible && take_at({wanted, wanted + span}) ? wanted : take(span, align);
  if (begin != 0) ranges_[begin] = {begin, begin + span};
  return begin;
}

void DeviceMemory::release_range(uint64_t address) {
  add_free(ranges_.at(address));
  ranges_.erase(address);
}

void DeviceMemory::map_file(uint64_t address, uint64_t size, int file, uint64_t offset) {
  if (mmap(host(address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
           static_cast<off_t>(offset)) == MAP_FAILED)
    throw Error(ErrorKind::kProgram, "the host cannot map memory of the device (cudaErrorMemoryAllocation)");
}

void DeviceMemory::unmap_file(uint64_t address, uint64_t size) {
  // What commit() has made accessible stays so; before that it does no harm.
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(host(address), size, PROT_READ | PROT_WRITE, kFlags, -1, 0) == MAP_FAILED)
    throw Error(ErrorKind::kProgram, "the host cannot take memory of the device away");
}

void DeviceMemory::open(uint64_t address, uint64_t size) {
  insert({address, size, {}, MemoryKind::kMapped}, {address, address + size});
  // The same bytes may have been written at other addresses, or by another process.
  mark_written(address, size);
}

void DeviceMemory::close(uint64_t address) { erase(index_of(address)); }

const SharedPages& DeviceMemory::share(uint64_t address) {
  if (const auto known = shared_.find(address); known != shared_.end()) return known->second;
  const Allocation* block = find(address);
  constexpr uint64_t kPage = kGuard;
  const uint64_t begin = address / kPage * kPage, end = (block->end() + kPage - 1) / kPage * kPage;
  const int file = memfd_create("gpuloom-shared", MFD_CLOEXEC);
  const auto put = [&](uint64_t at) {
    return pwrite(file, host(at), end - at, static_cast<off_t>(at - begin));
  };
  bool whole = file >= 0 && ftruncate(file, static_cast<off_t>(end - begin)) == 0;
  for (uint64_t at = begin; whole && at < end;) {
    const ssize_t written = put(at);
    whole = written > 0;
    at += static_cast<uint64_t>(written);
  }
  if (!whole) {
    if (file >= 0) ::close(file);
    throw Error(ErrorKind::kProgram, "the host has no file for memory that processes share");
  }
  map_file(begin, end - begin, file, 0);
  return shared_[address] = {file, begin, end - begin};
}

void DeviceMemory::take_file_away(uint64_t address) {
  const auto known = shared_.find(address);
  if (known == shared_.end()) return;
  unmap_file(known->second.begin, known->second.bytes);
  ::close(known->second.file);
  shared_.erase(known);
}

void DeviceMemory::charge(uint64_t bytes) {
  check_capacity(bytes, {});
  used_ += bytes;
  peak_ = std::max(peak_, used_);
}

}  // namespace gpuloom::sim
