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

// Rounding by addition: a magnitude of which the lowest bits are to go, the half of their weight being
// `half`, is rounded by adding this and cutting. `negative` and `odd` (the last kept bit) are 0 or 1; no
// branches, so that lane loops vectorise.
template <Rounding R, typename U>
constexpr U rounding_addend(U negative, U odd, U half) {
  const U almost_one = 2 * half - 1;
  if constexpr (R == Rounding::kNearestEven) return half - 1 + odd;
  if constexpr (R == Rounding::kNearestAway) return half;
  if constexpr (R == Rounding::kDown) return almost_one & (U{0} - negative);
  if constexpr (R == Rounding::kUp) return almost_one & (negative - U{1});
  return 0;
}

}  // namespace gpuloom::ptx::numeric
