// SPDX-License-Identifier: Apache-2.0
// Tags of the level-1 data cache: lines of four sectors, write-through; sm.l1.replacement says which line
// goes. Time is the LSU's business.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/policy/choice.h"
#include "arch/types.h"

namespace gpuloom::arch {

class L1Cache {
 public:
  // Sets a new capacity and forgets everything. `sets` is a power of two; the number of ways follows.
  void configure(uint32_t bytes, uint32_t sets, const PolicyChoice& replacement, uint32_t sm = 0);

  struct Lookup {
    uint8_t hit = 0;      // mask of asked sectors that are here
    uint8_t pending = 0;  // on their way
    uint8_t missing = 0;  // neither; the caller fetches them and calls mark_pending
    int32_t entry = -1;   // of the line; -1 where it is not held
    bool tagged = false;  // it is held, and has not been forgotten
  };
  // Looks the access's sectors of its line up, and tells the replacement policy. No line is allocated.
  Lookup lookup(const policy::CacheAccess& access);
  // The line's entry, made by evicting a line without pending sectors; -1 if all are pending.
  int32_t allocate(const policy::CacheAccess& access);
  // The line that the last allocation has evicted; kNoLine for none.
  uint64_t evicted() const { return evicted_; }
  static constexpr uint64_t kNoLine = UINT64_MAX;
  // Whether the entry was made by evicting a line that held something.
  bool replaces(int32_t entry) const { return entries_[static_cast<size_t>(entry)].replaces; }
  void mark_pending(int32_t entry, uint8_t sectors, uint32_t request);
  uint32_t pending_request(int32_t entry, unsigned sector) const {
    return entries_[static_cast<size_t>(entry)].request[sector];
  }
  // The latest request of the line that is on its way; UINT32_MAX without one.
  uint32_t latest_request(int32_t entry) const {
    const Entry& e = entries_[static_cast<size_t>(entry)];
    if (e.epoch != epoch_ || e.pending == 0) return UINT32_MAX;
    return e.latest;
  }
  // The sectors of the line have come, by `request`.
  void fill(int32_t entry, uint64_t line, uint8_t sectors, uint32_t request);
  // Sectors of local memory that have been stored: nobody but the thread writes them, so what it loads later
  // is here (H200: recursion_fib loads 99.1 % of what it has stored from the L1).
  void written(int32_t entry, uint8_t sectors) { refreshed(entry).valid |= sectors; }
  // Drops all sectors, those on their way included.
  void forget() { ++epoch_; }
  // Drops sectors that somebody else has written (atomics at L2), if the line is here.
  void drop(uint64_t line, uint8_t sectors);
  uint32_t lines() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  struct Entry {
    uint64_t line = 0;
    uint32_t request[kLineSectors] = {};
    uint32_t latest = UINT32_MAX;  // of them
    int32_t older = -1, newer = -1;
    uint8_t valid = 0, pending = 0;
    bool used = false, replaces = false;
    uint32_t epoch = 0;
    uint32_t state = 0;  // the replacement policy's
  };
  struct Set {
    int32_t oldest = -1, newest = -1;
    uint32_t count = 0;
  };
  uint32_t set_of(uint64_t line) const;
  size_t slot_of(uint64_t line) const;  // in the index: where it is or would be
  void unlink(Set& set, int32_t entry);
  void link_newest(Set& set, int32_t entry);
  void link_oldest(Set& set, int32_t entry);
  void take_place(Set& set, int32_t entry, policy::Place place);
  class Order;
  void erase_index(uint64_t line);

  Entry& refreshed(int32_t entry) {
    Entry& e = entries_[static_cast<size_t>(entry)];
    if (e.epoch != epoch_) e.valid = e.pending = 0, e.epoch = epoch_;
    return e;
  }
  std::unique_ptr<policy::Replacement> replacement_;
  uint64_t evicted_ = kNoLine;
  uint32_t epoch_ = 0;  // lines of an earlier one have been forgotten
  uint32_t sets_count_ = 1, ways_ = 0;
  std::vector<Entry> entries_;
  std::vector<Set> sets_;
  std::vector<int32_t> index_;  // open addressing by line
};

}  // namespace gpuloom::arch
