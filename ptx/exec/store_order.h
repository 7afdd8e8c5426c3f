// SPDX-License-Identifier: Apache-2.0
// The order in which the lanes of one store reach memory.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace gpuloom::ptx {

// Calls f for the lanes of a store of `bytes` a lane, so that what f does last to a place is what stays
// there. The H200 takes 128 bytes of values at a time (32 lanes of up to 4 bytes, 16 of 8, 8 of 16), one
// after the other, and within those the lowest lane's value stays (bench/silicon/probes/winner). PTX ISA 8.10
// leaves it undefined, but Triton's reductions depend on it: lanes that hold one sum, different in its last
// bit, store it to one place.
template <class F>
inline void for_storing_lanes(uint32_t lanes, uint32_t bytes, F&& f) {
  const unsigned at_a_time = bytes <= 4 ? 32 : std::max(128 / bytes, 1u);
  const uint32_t some = at_a_time == 32 ? ~0u : (1u << at_a_time) - 1;
  for (unsigned first = 0; first < 32; first += at_a_time) {
    for (uint32_t part = lanes & (some << first); part != 0;) {
      const unsigned l = 31 - static_cast<unsigned>(std::countl_zero(part));
      part &= ~(1u << l);
      f(l);
    }
  }
}

}  // namespace gpuloom::ptx
