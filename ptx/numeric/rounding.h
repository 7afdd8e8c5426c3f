// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gpuloom::ptx::numeric {

// Rounding of a real number to a format or to an integer. Always a template argument: nothing here touches
// the floating-point environment of the host, which must stay at its default (nearest even, no flush to
// zero).
enum class Rounding : std::uint8_t {
  kNearestEven,  // .rn  .rni
  kZero,         // .rz  .rzi
  kDown,         // .rm  .rmi
  kUp,           // .rp  .rpi
  kNearestAway,  // .rna (ties away from zero), conversions only
};

// Does rounding a magnitude whose discarded part is `rest` out of [0, 2*half) go one up? `odd` is the last
// kept bit.
template <Rounding R, typename U>
constexpr bool rounds_up(bool negative, bool odd, U rest, U half) {
  if constexpr (R == Rounding::kNearestEven) {
    return rest > half || (rest == half && odd);
  } else if constexpr (R == Rounding::kNearestAway) {
    return rest >= half;
  } else if constexpr (R == Rounding::kDown) {
    return negative && rest != 0;
  } else if constexpr (R == Rounding::kUp) {
    return !negative && rest != 0;
  } else {
    return false;
  }
}

}  // namespace gpuloom::ptx::numeric
