// SPDX-License-Identifier: Apache-2.0
// 64-bit values of which the lower half alone matters: because nobody reads the upper one (addresses of
// local, shared and constant memory have 32 bits in the machine; products that end in 32 bits), or because
// the upper one is known to be zero. ptxas computes them with 32-bit operations (SASS of local_array,
// constant_divergent, big_shared, lat_mul64). Comes before anything is folded.
#pragma once
#include <vector>

#include "ptx/machine/rules/rule.h"

namespace gpuloom::ptx {

struct HalfFacts {
  std::vector<uint8_t> low_only, zero_upper;  // by row
};

class Narrowing {
 public:
  Narrowing(Selector& selector, HalfFacts& facts) : selector_(selector), s_(selector), facts_(facts) {}
  void run();

 private:
  void find_halves();
  bool needs_low_half(uint32_t u, const OperandRef& ref) const;
  bool makes_zero_upper(uint32_t i) const;
  bool has_zero_upper(Place place) const;
  bool has_constant_upper(Place place, unsigned depth) const;

  Selector& selector_;
  const Selection s_;
  HalfFacts& facts_;
};

// Whether i takes the upper half of 64 bits by itself: a shift to the right by 32 or more.
bool takes_upper(const Selection& s, uint32_t i);

}  // namespace gpuloom::ptx
