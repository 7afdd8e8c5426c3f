// SPDX-License-Identifier: Apache-2.0
// What an address of 64 bits is without the constants that were added on the way, and these.
#pragma once
#include <cstdint>

#include "ptx/passes/draft.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

// LDGSTS has 12 bits with a sign for what is added to its global address (SASS of cp.async at distances of
// 0x7f0 to 0x400000, ptxas 13.0, sm_80 and sm_90).
constexpr int64_t kCopyReach = 1 << 11;
constexpr bool in_reach_of_copy(int64_t distance) { return distance >= -kCopyReach && distance < kCopyReach; }

class Distances {
 public:
  Distances(const Draft& draft, const SingleValues& values) : d_(draft), values_(values) {}
  // Whether i adds two integers of 64 bits.
  bool adds64(uint32_t i) const;
  // What sum i adds a constant to, and that; absent where it adds none.
  Place base(uint32_t i, int64_t& constant) const;
  // The place that others add constants to, if any; adds them to `distance`.
  Place root(Place place, int64_t& distance) const;

 private:
  const Draft& d_;
  const SingleValues& values_;
};

}  // namespace gpuloom::ptx
