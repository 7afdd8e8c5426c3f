// SPDX-License-Identifier: Apache-2.0
#include "sim/host/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>

#include "base/error.h"
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

bool whole(uint64_t bytes) { return bytes != 0 && bytes % Mappings::kGranularity == 0; }

template <class F>
void or_out_of_memory(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    throw Failure(Status::kMemoryAllocation, error.message());
  }
}

}  // namespace

Physical::~Physical() {
  close(file_);
  if (charged_) memory_.discharge(bytes_);
}

uint64_t Mappings::add_handle(std::shared_ptr<Physical> physical) {
  handles_[next_handle_] = {std::move(physical), 1};
  return next_handle_++;
}

uint64_t Mappings::create(uint64_t bytes, bool shareable) {
  require(whole(bytes));
  or_out_of_memory([&] { memory_.device().charge(bytes); });
  const int file = memfd_create("gpuloom-memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0) close(file);
    memory_.device().discharge(bytes);
    throw Failure(Status::kMemoryAllocation, "the host has no file for memory of the device");
  }
  return add_handle(std::make_shared<Physical>(memory_.device(), file, bytes, true, shareable));
}

void Mappings::release(uint64_t handle) {
  const auto known = handles_.find(handle);
  require(known != handles_.end());
  if (--known->second.references == 0) handles_.erase(known);
}

uint64_t Mappings::retain(uint64_t address) {
  auto after = mappings_.upper_bound(address);
  require(after != mappings_.begin());
  auto& [begin, mapping] = *std::prev(after);
  require(address - begin < mapping.bytes);
  Handle& handle = handles_[mapping.handle];  // released ones come back
  handle.physical = mapping.physical;
  ++handle.references;
  return mapping.handle;
}

const Physical& Mappings::physical(uint64_t handle) const {
  const auto known = handles_.find(handle);
  require(known != handles_.end());
  return *known->second.physical;
}

int Mappings::exported(uint64_t handle) const {
  const Physical& p = physical(handle);
  require(p.shareable());
  const int file = fcntl(p.file(), F_DUPFD_CLOEXEC, 0);
  require(file >= 0, Status::kOperatingSystem);
  return file;
}

uint64_t Mappings::import(int file) {
  struct stat facts = {};
  require(fstat(file, &facts) == 0 && whole(static_cast<uint64_t>(facts.st_size)));
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  require(own >= 0, Status::kOperatingSystem);
  const auto bytes = static_cast<uint64_t>(facts.st_size);
  return add_handle(std::make_shared<Physical>(memory_.device(), own, bytes, false, true));
}

uint64_t Mappings::reserve(uint64_t bytes, uint64_t align, uint64_t wanted) {
  require(whole(bytes) && (align & (align - 1)) == 0);
  const uint64_t address = memory_.device().reserve_range(bytes, align, wanted);
  require(address != 0, Status::kMemoryAllocation);
  ranges_[address] = bytes;
  return address;
}

void Mappings::free(uint64_t address, uint64_t bytes) {
  const auto range = ranges_.find(address);
  require(range != ranges_.end() && range->second == bytes);
  const auto first = mappings_.lower_bound(address);
  require(first == mappings_.end() || first->first >= address + bytes);
  memory_.device().release_range(address);
  ranges_.erase(range);
}

// The begin of the reserved range that holds all these addresses.
uint64_t Mappings::range_of(uint64_t address, uint64_t bytes) const {
  auto after = ranges_.upper_bound(address);
  require(after != ranges_.begin());
  const auto& [begin, size] = *std::prev(after);
  require(address - begin < size && bytes <= size - (address - begin));
  return begin;
}

void Mappings::map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle) {
  const Physical& p = physical(handle);
  require(whole(bytes) && address % kGranularity == 0 && offset % kGranularity == 0);
  require(offset < p.bytes() && bytes <= p.bytes() - offset);
  range_of(address, bytes);
  const auto after = mappings_.lower_bound(address);
  require(after == mappings_.end() || after->first >= address + bytes);
  require(after == mappings_.begin() || std::prev(after)->first + std::prev(after)->second.bytes <= address);
  or_out_of_memory([&] { memory_.device().map_file(address, bytes, p.file(), offset); });
  mappings_[address] = {bytes, handle, handles_.at(handle).physical, false};
}

// Mappings side by side, from the first byte to the last.
void Mappings::require_mapped(uint64_t address, uint64_t bytes) const {
  uint64_t at = address;
  for (auto m = mappings_.find(address); m != mappings_.end() && m->first == at && at < address + bytes; ++m)
    at += m->second.bytes;
  require(bytes != 0 && at == address + bytes);
}

void Mappings::unmap(uint64_t address, uint64_t bytes) {
  const uint64_t range = range_of(address, bytes);
  require_mapped(address, bytes);
  memory_.settle();
  set_access(address, bytes, false);
  for (auto m = mappings_.find(address); m != mappings_.end() && m->first < address + bytes;) {
    memory_.device().unmap_file(m->first, m->second.bytes);
    m = mappings_.erase(m);
  }
  show(range);
}

void Mappings::set_access(uint64_t address, uint64_t bytes, bool accessible) {
  const uint64_t range = range_of(address, bytes);
  require_mapped(address, bytes);
  if (!accessible) memory_.settle();
  for (auto m = mappings_.find(address); m != mappings_.end() && m->first < address + bytes; ++m)
    m->second.accessible = accessible;
  show(range);
}

bool Mappings::accessible(uint64_t address) const {
  auto after = mappings_.upper_bound(address);
  require(after != mappings_.begin());
  const auto& [begin, mapping] = *std::prev(after);
  require(address - begin < mapping.bytes);
  return mapping.accessible;
}

// Makes the accessible parts of a range allocations anew. A copy may go over several mappings, so neighbours
// are one.
void Mappings::show(uint64_t range) {
  const uint64_t end = range + ranges_.at(range);
  for (auto s = shown_.lower_bound(range); s != shown_.end() && s->first < end; s = shown_.erase(s))
    memory_.device().close(s->first);
  for (auto m = mappings_.lower_bound(range); m != mappings_.end() && m->first < end; ++m) {
    if (!m->second.accessible) continue;
    auto next = shown_.lower_bound(m->first);
    if (next != shown_.begin() && std::prev(next)->first >= range &&
        std::prev(next)->first + std::prev(next)->second == m->first)
      std::prev(next)->second += m->second.bytes;
    else
      shown_[m->first] = m->second.bytes;
  }
  for (auto s = shown_.lower_bound(range); s != shown_.end() && s->first < end; ++s)
    memory_.device().open(s->first, s->second);
}

}  // namespace gpuloom::host
