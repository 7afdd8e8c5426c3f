// SPDX-License-Identifier: Apache-2.0
// Reservation of a resource that moves so many bytes a cycle (a port, a bus).
//
// Requests are served in the order in which they were sent, but reach a port at times that are not in that
// order (a miss before a hit). So a port is a calendar: time in buckets of a few cycles, each with the bytes
// that it has left. A request takes what is free from its own time on. The error against an exact schedule is
// at most a bucket.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/types.h"

namespace gpuloom::arch {

class BandwidthCalendar {
 public:
  static constexpr Cycle kBucket = 8;       // cycles
  static constexpr size_t kBuckets = 4096;  // what lies further ahead is lumped together

  explicit BandwidthCalendar(double bytes_per_cycle = 1)
      : capacity_(std::max<uint32_t>(1, static_cast<uint32_t>(bytes_per_cycle * kBucket * kFraction))),
        buckets_(kBuckets) {}

  // Takes `bytes` from cycle `at` on; returns when the transfer starts. Never earlier than `at`.
  Cycle reserve(Cycle at, uint32_t bytes) {
    uint64_t need = uint64_t{bytes} * kFraction;
    uint64_t b = free_bucket(at / kBucket);
    const Bucket& first = bucket(b);
    const Cycle start = std::max(at, b * kBucket + first.used * kBucket / capacity_);
    while (need != 0) {
      Bucket& here = bucket(b);
      const uint32_t take = static_cast<uint32_t>(std::min<uint64_t>(need, capacity_ - here.used));
      here.used += take;
      need -= take;
      if (here.used == capacity_) here.next = static_cast<uint32_t>(b + 1);
      if (need != 0) b = free_bucket(b + 1);
    }
    return start;
  }
  // The host's caches may bring what reserve(at) will look at.
  void prefetch(Cycle at) const { __builtin_prefetch(&buckets_[at / kBucket % kBuckets], 1); }
  // Cycles that `bytes` take on an idle port.
  Cycle transfer(uint32_t bytes) const {
    return (uint64_t{bytes} * kFraction * kBucket + capacity_ - 1) / capacity_;
  }

 private:
  static constexpr uint32_t kFraction = 16;
  struct Bucket {
    uint32_t number = UINT32_MAX;  // which bucket of time this is now
    uint32_t used = 0;
    uint32_t next = 0;  // full: where to look instead
  };

  Bucket& bucket(uint64_t b) {
    Bucket& x = buckets_[b % kBuckets];
    if (x.number != static_cast<uint32_t>(b)) x = {static_cast<uint32_t>(b), 0, static_cast<uint32_t>(b)};
    return x;
  }
  // The first bucket from b on that is not full; full ones learn the way.
  uint64_t free_bucket(uint64_t b) {
    uint64_t end = b;
    while (bucket(end).used == capacity_) end = (end & ~uint64_t{UINT32_MAX}) | bucket(end).next;
    while (b < end) {
      Bucket& x = bucket(b);
      b = x.next;
      x.next = static_cast<uint32_t>(end);
    }
    return end;
  }

  uint32_t capacity_;
  std::vector<Bucket> buckets_;
};

}  // namespace gpuloom::arch
