// SPDX-License-Identifier: Apache-2.0
// The atomic unit of a slice of L2: which of its turns atomics take, and when.
//
// A turn takes one lane for each word of a sector. Sums of floating-point numbers take longer: the next on
// the same sector waits for the one before, and an atomic that waits keeps those behind it from starting,
// while others that have started go on. H200 (probes/memory, atomics and slices), cycles a lane's addition,
// of integers and of floating-point numbers: to one word 1.58 and 3.56, to another word of its sector the
// same, to two sectors of one slice in turn 1.5 to 1.8 and 2.6, to two of different slices 0.82 and 1.84.
#pragma once
#include <array>
#include <utility>

#include "arch/l2/config.h"
#include "arch/noc/bandwidth.h"
#include "arch/systemc/memory_request.h"

namespace gpuloom::arch {

class AtomicUnit {
 public:
  // Cycles are of `clock_hz`, the SMs'.
  AtomicUnit(const L2Config& config, double clock_hz);
  // An atomic comes to `line`: is it at hand still, as the atomic before this one changed it?
  bool come_to(uint64_t line) { return std::exchange(line_at_hand_, line) == line; }
  struct Turns {
    Cycle first = 0;  // begins
    Cycle span = 0;   // from its beginning to that of the last one
  };
  // An atomic whose line can be read from `ready` on.
  Turns take(const sim::MemoryRequest& request, Cycle ready);

 private:
  // The sectors whose sums were asked for last, each with the cycle from which the next may begin. What
  // another has taken the place of waits for nothing: with so many places few are still waited for.
  static constexpr unsigned kSums = 64;
  struct Sum {
    uint64_t sector = UINT64_MAX;
    Cycle free = 0;
  };
  Sum& sum_of(uint64_t sector);
  // visit(Sum&) of each sector that the request names.
  template <class Visit>
  void each_sum(const sim::MemoryRequest& request, Visit visit);

  const L2Config& config_;
  const double sum_interval_;  // SM cycles from one sum on a sector to the next
  BandwidthCalendar turns_;
  std::array<Sum, kSums> sums_{};
  Cycle latest_ = 0;  // beginning of the sums that began last
  uint64_t line_at_hand_ = UINT64_MAX;
};

}  // namespace gpuloom::arch
