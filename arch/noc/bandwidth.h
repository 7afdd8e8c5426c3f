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
  static constexpr size_t kBuckets = 4096;  // that are kept apart; more may be full in one piece

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
  static constexpr uint32_t kLapBits = 20, kSkipBits = 12, kMostSkip = (1u << kSkipBits) - 1;
  // All zero is a bucket of the first lap that nobody has used: the host brings pages as they are touched,
  // and thousands of calendars cost nothing at the start.
  struct Bucket {
    uint32_t used = 0;
    uint32_t lap : kLapBits = 0;    // which time round the calendar, of 2^35 cycles, this is
    uint32_t skip : kSkipBits = 0;  // full: so many buckets on to where to look instead
  };
  struct Free {
    void operator()(Bucket* buckets) const { std::free(buckets); }
  };

  // A bucket whose place is taken by one that lies a lap or more ahead counts as full.
  Bucket& bucket(uint64_t b) {
    constexpr uint32_t kLaps = 1u << kLapBits;
    Bucket& x = buckets_[b % kBuckets];
    const auto lap = static_cast<uint32_t>(b / kBuckets % kLaps);
    if (x.lap == lap) return x;
    if (x.used != 0 && (x.lap - lap) % kLaps < kLaps / 2) {
      overtaken_ = {capacity_, lap, 1};
      return overtaken_;
    }
    x = {0, lap, 0};
    return x;
  }
  // The first bucket from b on that is not full; full ones learn the way.
  uint64_t free_bucket(uint64_t b) {
    const uint64_t from = b;
    if (in_piece(b)) b = piece_end_;
    uint64_t end = b;
    for (const Bucket* x = &bucket(end); x->used == capacity_; x = &bucket(end)) {
      end += x->skip;
      if (in_piece(end)) end = piece_end_;
    }
    while (b < end) {
      if (in_piece(b)) {
        b = piece_end_;
        continue;
      }
      Bucket& x = bucket(b);
      b += x.skip;
      x.skip = static_cast<uint32_t>(std::min<uint64_t>(end - b + x.skip, kMostSkip));
    }
    if (end - from > kBuckets / 2) join_piece(from, end);
    return end;
  }

  // A resource that is asked for more than the calendar holds is full for longer than that (atomics of a
  // whole GPU on one word): from the first bucket of the piece to its end nothing is free.
  bool in_piece(uint64_t b) const { return b >= piece_begin_ && b < piece_end_; }
  void join_piece(uint64_t begin, uint64_t end) {
    if (end < piece_begin_) return;
    if (begin > piece_end_ || begin < piece_begin_) piece_begin_ = begin;
    piece_end_ = end;
  }

  uint32_t capacity_;
  std::unique_ptr<Bucket[], Free> buckets_;
  Bucket overtaken_;
  uint64_t piece_begin_ = 0, piece_end_ = 0;
};

}  // namespace gpuloom::arch
