// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/l1_cache.h"

#include <algorithm>
#include <bit>

namespace gpuloom::arch {
namespace {
size_t mix(uint64_t line) { return static_cast<size_t>((line / kLineBytes * 0x9E3779B97F4A7C15ull) >> 32); }
}  // namespace

void L1Cache::configure(uint32_t bytes, uint32_t sets, const PolicyChoice& replacement, uint32_t sm) {
  sets_count_ = sets;
  ways_ = bytes / kLineBytes / sets;
  replacement_ = replacement.make<policy::Replacement>({"l1", sm, sets, ways_});
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

void L1Cache::link_oldest(Set& set, int32_t entry) {
  Entry& e = entries_[static_cast<size_t>(entry)];
  e.newer = set.oldest;
  e.older = -1;
  (set.oldest >= 0 ? entries_[static_cast<size_t>(set.oldest)].older : set.newest) = entry;
  set.oldest = entry;
}

void L1Cache::take_place(Set& set, int32_t entry, policy::Place place) {
  if (place == policy::Place::kStays) return;
  unlink(set, entry);
  if (place == policy::Place::kNewest)
    link_newest(set, entry);
  else
    link_oldest(set, entry);
}

// The entries of a set that have nothing on its way, oldest first.
class L1Cache::Order final : public policy::Lines {
 public:
  Order(L1Cache& cache, int32_t oldest) : cache_(cache), next_(oldest) {}
  bool next(Line& line) override {
    while (next_ >= 0 && cache_.refreshed(next_).pending)
      next_ = cache_.entries_[static_cast<size_t>(next_)].newer;
    if (next_ < 0) return false;
    Entry& e = cache_.entries_[static_cast<size_t>(next_)];
    line = {static_cast<uint32_t>(next_), &e.state};
    next_ = e.newer;
    return true;
  }

 private:
  L1Cache& cache_;
  int32_t next_;
};

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

L1Cache::Lookup L1Cache::lookup(const policy::CacheAccess& access) {
  const uint64_t line = access.line;
  const uint8_t sectors = access.sectors;
  Lookup result;
  result.entry = entries_.empty() ? -1 : index_[slot_of(line)];
  if (result.entry < 0) {
    result.missing = sectors;
    return result;
  }
  result.tagged = entries_[static_cast<size_t>(result.entry)].epoch == epoch_;
  Entry& e = refreshed(result.entry);
  result.hit = sectors & e.valid;
  result.pending = static_cast<uint8_t>(sectors & e.pending);
  result.missing = static_cast<uint8_t>(sectors & ~(e.valid | e.pending));
  Set& set = sets_[set_of(line)];
  const policy::Place place = replacement_->hit(e.state, access);
  if (place != policy::Place::kNewest || set.newest != result.entry) take_place(set, result.entry, place);
  return result;
}

int32_t L1Cache::allocate(const policy::CacheAccess& access) {
  const uint64_t line = access.line;
  evicted_ = kNoLine;
  if (entries_.empty()) return -1;
  const uint32_t s = set_of(line);
  Set& set = sets_[s];
  int32_t entry = -1;
  bool replaces = false;
  if (set.count < ways_) {
    entry = static_cast<int32_t>(s * ways_ + set.count++);
  } else {
    Order order(*this, set.oldest);
    const uint32_t victim = replacement_->victim(order, access);
    if (victim == policy::kNone) return -1;
    entry = static_cast<int32_t>(victim);
    replaces = refreshed(entry).valid != 0;
    evicted_ = entries_[static_cast<size_t>(entry)].line;
    erase_index(evicted_);
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
  const policy::Place place = replacement_->inserted(e.state, access);
  if (place != policy::Place::kNewest) take_place(set, entry, place);
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
