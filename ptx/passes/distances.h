// SPDX-License-Identifier: Apache-2.0
// What an address of 64 bits is without the constants that were added on the way, and these.
#pragma once
#include <cstdint>

#include "ptx/passes/draft.h"
#include "ptx/passes/single_values.h"

namespace gpuloom::ptx {

class Distances {
 public:
  Distances(const Draft& draft, const SingleValues& values) : d_(draft), values_(values) {}
  // Whether i adds two integers of 64 bits.
  bool adds64(uint32_t i) const;
  // The place that others add constants to, if any; adds them to `distance`.
  Place root(Place place, int64_t& distance) const;

 private:
  const Draft& d_;
  const SingleValues& values_;
};

}  // namespace gpuloom::ptx
