// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/l1_cache.h"

#include <algorithm>
#include <bit>

namespace gpuloom::arch {
namespace {
size_t mix(uint64_t line) { return static_cast<size_t>((line / kLineBytes * 0x9E3779B97F4A7C15ull) >> 32); }
}  // namespace

void L1Cache::configure(uint32_t bytes, uint32_t sets) {
  sets_count_ = sets;
  ways_ = bytes / kLineBytes / sets;
  entries_.assign(size_t{ways_} * sets, Entry{});
  index_.assign(std::bit_ceil(std::max<size_t>(2 * entries_.size(), 2)), -1);
  sets_.assign(sets_count_, Set{});
}

// Linear would put all rows of a power-of-two pitch in one set.
uint32_t L1Cache::set_of(uint64_t line) const {
  const uint64_t n = line / kLineBytes;
  return static_cast<uint32_t>((n ^ (n >> 7) ^ (n >> 14)) & (sets_count_ - 1));
}

size_t L1Cache::slot_of(uint64_t line) const {
  size_t i = mix(line) & (index_.size() - 1);
  while (index_[i] >= 0 && entries_[static_cast<size_t>(index_[i])].line != line)
    i = (i + 1) & (index_.size() - 1);
  return i;
}

void L1Cache::unlink(Set& set, int32_t entry) {
  Entry& e = entries_[static_cast<size_t>(entry)];
  (e.older >= 0 ? entries_[static_cast<size_t>(e.older)].newer : set.oldest) = e.newer;
  (e.newer >= 0 ? entries_[static_cast<size_t>(e.newer)].older : set.newest) = e.older;
}

void L1Cache::link_newest(Set& set, int32_t entry) {
  Entry& e = entries_[static_cast<size_t>(entry)];
  e.older = set.newest;
  e.newer = -1;
  (set.newest >= 0 ? entries_[static_cast<size_t>(set.newest)].newer : set.oldest) = entry;
  set.newest = entry;
}

void L1Cache::erase_index(uint64_t line) {
  // Backward-shift deletion keeps probe chains whole.
  const size_t mask = index_.size() - 1;
  size_t hole = slot_of(line);
  for (size_t i = (hole + 1) & mask; index_[i] >= 0; i = (i + 1) & mask) {
    const size_t home = mix(entries_[static_cast<size_t>(index_[i])].line) & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      index_[hole] = index_[i];
      hole = i;
    }
  }
  index_[hole] = -1;
}

L1Cache::Lookup L1Cache::lookup(uint64_t line, uint8_t sectors) {
  Lookup result;
  result.entry = entries_.empty() ? -1 : index_[slot_of(line)];
  if (result.entry < 0) {
    result.missing = sectors;
    return result;
  }
  result.tagged = entries_[static_cast<size_t>(result.entry)].epoch == epoch_;
  const Entry& e = refreshed(result.entry);
  result.hit = sectors & e.valid;
  result.pending = static_cast<uint8_t>(sectors & e.pending);
  result.missing = static_cast<uint8_t>(sectors & ~(e.valid | e.pending));
  Set& set = sets_[set_of(line)];
  if (set.newest != result.entry) {
    unlink(set, result.entry);
    link_newest(set, result.entry);
  }
  return result;
}

int32_t L1Cache::allocate(uint64_t line) {
  if (entries_.empty()) return -1;
  const uint32_t s = set_of(line);
  Set& set = sets_[s];
  int32_t entry = -1;
  bool replaces = false;
  if (set.count < ways_) {
    entry = static_cast<int32_t>(s * ways_ + set.count++);
  } else {
    entry = set.oldest;
    while (entry >= 0 && refreshed(entry).pending) entry = entries_[static_cast<size_t>(entry)].newer;
    if (entry < 0) return -1;
    replaces = entries_[static_cast<size_t>(entry)].valid != 0;
    erase_index(entries_[static_cast<size_t>(entry)].line);
    unlink(set, entry);
  }
  Entry& e = entries_[static_cast<size_t>(entry)];
  e = Entry{};
  e.line = line;
  e.used = true;
  e.replaces = replaces;
  e.epoch = epoch_;
  index_[slot_of(line)] = entry;
  link_newest(set, entry);
  return entry;
}

void L1Cache::mark_pending(int32_t entry, uint8_t sectors, uint32_t request) {
  Entry& e = refreshed(entry);
  e.pending |= sectors;
  e.latest = request;
  for (unsigned s = 0; s < kLineSectors; ++s)
    if (sectors >> s & 1) e.request[s] = request;
}

void L1Cache::fill(int32_t entry, uint64_t line, uint8_t sectors, uint32_t request) {
  Entry& e = refreshed(entry);
  if (e.line != line) return;
  if (e.latest == request) e.latest = UINT32_MAX;  // an earlier one may still be on its way
  e.valid |= static_cast<uint8_t>(sectors & e.pending);
  e.pending &= static_cast<uint8_t>(~sectors);
}

void L1Cache::drop(uint64_t line, uint8_t sectors) {
  if (entries_.empty()) return;
  const int32_t entry = index_[slot_of(line)];
  if (entry >= 0) entries_[static_cast<size_t>(entry)].valid &= static_cast<uint8_t>(~sectors);
}

}  // namespace gpuloom::arch
