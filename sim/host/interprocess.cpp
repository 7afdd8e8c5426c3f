// SPDX-License-Identifier: Apache-2.0
#include "sim/host/interprocess.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/error.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

// "gpgl-mem" and so on.
constexpr uint64_t kMemory = 0x6d656d2d6c677067, kEvent = 0x7665652d6c677067, kPool = 0x6c6f702d6c677067;

}  // namespace

Interprocess::~Interprocess() {
  while (!opened_.empty()) unmap(opened_.begin());
}

InterprocessHandle Interprocess::share(uint64_t address) {
  const auto facts = memory_.facts(address);
  require(facts && facts->kind == sim::MemoryKind::kDevice);
  memory_.settle();
  try {
    const sim::SharedPages pages = memory_.device().share(facts->begin);
    return {kMemory, getpid(), pages.file, pages.bytes, facts->begin - pages.begin, facts->size};
  } catch (const Error& error) {
    throw Failure(Status::kMemoryAllocation, error.message());
  }
}

uint64_t Interprocess::open(const InterprocessHandle& handle, bool of_pool) {
  require(handle.kind == kMemory);
  require(handle.process != getpid(), Status::kDeviceUninitialized);  // as CUDA answers to its own handle
  for (auto& [address, o] : opened_)
    if (o.process == handle.process && o.file == handle.file) {
      ++o.times;
      return address;
    }
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  require(file >= 0);  // the process or its memory is gone, or is somebody else's
  const uint64_t range = memory_.device().reserve_range(handle.file_bytes, 0, 0);
  try {
    require(range != 0, Status::kMemoryAllocation);
    memory_.device().map_file(range, handle.file_bytes, file, 0);
  } catch (...) {
    ::close(file);
    if (range != 0) memory_.device().release_range(range);
    throw;
  }
  ::close(file);
  const uint64_t address = range + handle.offset;
  memory_.device().open(address, handle.bytes);
  opened_[address] = {range, handle.file_bytes, handle.process, handle.file, 1, of_pool};
  return address;
}

void Interprocess::unmap(const std::map<uint64_t, Opened>::iterator& at) {
  memory_.device().close(at->first);
  memory_.device().unmap_file(at->second.range, at->second.file_bytes);
  memory_.device().release_range(at->second.range);
  opened_.erase(at);
}

void Interprocess::close(uint64_t address) {
  const auto at = opened_.find(address);
  require(at != opened_.end());
  if (--at->second.times != 0) return;
  memory_.settle();
  unmap(at);
}

int Interprocess::export_pool() {
  const int file = memfd_create("gpuloom-pool", MFD_CLOEXEC);
  require(file >= 0 && write(file, &kPool, sizeof kPool) == sizeof kPool, Status::kOperatingSystem);
  return file;
}

void Interprocess::check_pool(int file) {
  uint64_t kind = 0;
  require(pread(file, &kind, sizeof kind, 0) == sizeof kind && kind == kPool);
}

void Interprocess::add(Event& event) {
  event.interprocess = true;
  has_events_ = true;
}

InterprocessHandle Interprocess::share(const Event& event) {
  require(event.interprocess, Status::kInvalidResourceHandle);
  return {.kind = kEvent, .process = getpid()};
}

void Interprocess::check_event(const InterprocessHandle& handle) { require(handle.kind == kEvent); }

}  // namespace gpuloom::host
