// SPDX-License-Identifier: Apache-2.0
// From coordinates to texels, as the H200 rounds them (tests/conformance/textures): normalised coordinates
// are cut to 21 bits after the point before they are multiplied by the extent, linear filters have 8 bits
// between texels.
#pragma once
#include <cstdint>

#include "ptx/exec/texture/state.h"

namespace gpuloom::ptx {

constexpr int64_t kFarAway = int64_t{1} << 40;

// Texel number of a point sample, before the address mode.
int64_t texel_index(double coordinate, uint32_t extent, bool normalized);
// 256 times the distance from the centre of texel 0, halves up.
int64_t texel_distance(double coordinate, uint32_t extent, bool normalized);
// Applies an address mode; a negative result is the border.
int64_t addressed(int64_t texel, uint32_t extent, AddressMode mode);

// Two neighbours on an axis and the fraction towards the second, of 256.
struct AxisPair {
  int64_t first = 0, second = 0;  // negative: border
  int fraction = 0;
};
// A clamped coordinate is clamped as a whole, so that there is no fraction beyond the edge.
AxisPair axis_pair(double coordinate, uint32_t extent, bool normalized, AddressMode mode, int offset);
// The neighbours alone, each addressed by itself: gathers.
AxisPair axis_neighbours(double coordinate, uint32_t extent, bool normalized, AddressMode mode, int offset);

}  // namespace gpuloom::ptx
