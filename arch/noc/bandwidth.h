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
#include <cstdlib>
#include <memory>
#include <new>

#include "arch/types.h"

namespace gpuloom::arch {

class BandwidthCalendar {
 public:
  static constexpr Cycle kBucket = 8;       // cycles
  static constexpr size_t kBuckets = 4096;  // what lies further ahead is lumped together

  explicit BandwidthCalendar(double bytes_per_cycle = 1)
      : capacity_(std::max<uint32_t>(1, static_cast<uint32_t>(bytes_per_cycle * kBucket * kFraction))),
        buckets_(static_cast<Bucket*>(std::calloc(kBuckets, sizeof(Bucket)))) {
    if (!buckets_) throw std::bad_alloc();
  }

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
      if (here.used == capacity_) here.skip = 1;
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
  // All zero is a bucket of the first lap that nobody has used: the host brings pages as they are touched,
  // and thousands of calendars cost nothing at the start.
  struct Bucket {
    uint32_t used = 0;
    uint16_t lap = 0;   // which time round the calendar, of 2^31 cycles, this is
    uint16_t skip = 0;  // full: so many buckets on to where to look instead
  };
  struct Free {
    void operator()(Bucket* buckets) const { std::free(buckets); }
  };

  Bucket& bucket(uint64_t b) {
    Bucket& x = buckets_[b % kBuckets];
    const uint16_t lap = static_cast<uint16_t>(b / kBuckets);
    if (x.lap != lap) x = {0, lap, 0};
    return x;
  }
  // The first bucket from b on that is not full; full ones learn the way.
  uint64_t free_bucket(uint64_t b) {
    uint64_t end = b;
    for (const Bucket* x = &bucket(end); x->used == capacity_; x = &bucket(end)) end += x->skip;
    while (b < end) {
      Bucket& x = bucket(b);
      b += x.skip;
      x.skip = static_cast<uint16_t>(std::min<uint64_t>(end - b + x.skip, UINT16_MAX));
    }
    return end;
  }

  uint32_t capacity_;
  std::unique_ptr<Bucket[], Free> buckets_;
};

}  // namespace gpuloom::arch
