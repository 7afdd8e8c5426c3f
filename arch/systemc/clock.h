// SPDX-License-Identifier: Apache-2.0
// Cycles of one clock and femtoseconds, without drift: cycle c begins at floor(c * 1e15 / hz).
#pragma once
#include <cstdint>

namespace gpuloom::sim {

class ClockRatio {
 public:
  explicit ClockRatio(double hz) : period_fs_(1e15 / hz) {}
  uint64_t to_fs(uint64_t cycle) const {
    return static_cast<uint64_t>(static_cast<long double>(cycle) * period_fs_);
  }
  // The first cycle that begins at or after `fs`.
  uint64_t to_cycles(uint64_t fs) const {
    uint64_t cycle = static_cast<uint64_t>(static_cast<long double>(fs) / period_fs_);
    while (to_fs(cycle) < fs) ++cycle;
    return cycle;
  }

 private:
  long double period_fs_;
};

}  // namespace gpuloom::sim
