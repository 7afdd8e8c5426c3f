// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/numeric/bits.h"
#include "ptx/numeric/rounding.h"

namespace gpuloom::ptx::numeric {

// cvt.{rna,rn,rz}{.satfinite}{.relu}.tf32.f32: an f32 of which the lower 13 bits are zero.
// NaN results are what the H200 writes: 0x7fffe000 for .rn and .rz; .rna keeps the sign and the upper
// payload.
template <Rounding R, bool SatFinite = false, bool Relu = false>
constexpr std::uint32_t float_to_tf32(float x) {
  static_assert(R == Rounding::kNearestAway || R == Rounding::kNearestEven || R == Rounding::kZero);
  constexpr std::uint32_t kKept = ~0x1fffu;
  const std::uint32_t b = bits_of(x);
  const std::uint32_t magnitude = b & ~kSign32;
  const std::uint32_t addend = rounding_addend<R>(0u, (magnitude >> 13) & 1u, 0x1000u);
  std::uint32_t result = (magnitude + addend) & kKept;
  if constexpr (SatFinite) result = result >= kInf32 ? 0x7f7fe000u : result;
  const std::uint32_t sign = b & kSign32;
  result = Relu && sign != 0 ? 0 : result | sign;
  const std::uint32_t nan =
      R != Rounding::kNearestAway ? 0x7fffe000u : (b & kKept) - (SatFinite ? 0x2000u : 0u);
  return magnitude > kInf32 ? nan : result;
}

// What a tensor core reads from a .tf32 operand register.
constexpr float tf32_to_float(std::uint32_t bits) { return float_of(bits & ~0x1fffu); }

}  // namespace gpuloom::ptx::numeric
