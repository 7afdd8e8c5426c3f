// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/coordinate.h"

#include <algorithm>
#include <cmath>

namespace gpuloom::ptx {
namespace {

constexpr int64_t kFixed = int64_t{1} << 21;

// NaN and subnormals count as 0, what is too large for any texture as far away.
double tame(double coordinate) {
  if (std::isnan(coordinate) || std::fabs(coordinate) < 0x1p-126f) return 0;
  return std::clamp(coordinate, -static_cast<double>(kFarAway), static_cast<double>(kFarAway));
}

int64_t fixed_point(double coordinate) {
  return static_cast<int64_t>(std::floor(tame(coordinate) * static_cast<double>(kFixed)));
}

int64_t floor_mod(int64_t a, int64_t n) {
  const int64_t r = a % n;
  return r < 0 ? r + n : r;
}

// q * extent / 2^21, in units of 1/256, without overflow: whole repeats apart.
int64_t scaled(int64_t q, uint32_t extent, int64_t add) {
  const int64_t whole = q >> 21, part = q & (kFixed - 1);
  const int64_t fraction = (part * extent * 256 + add) >> 21;
  return std::clamp(whole, -(int64_t{1} << 30), int64_t{1} << 30) * extent * 256 + fraction;
}

}  // namespace

int64_t texel_index(double coordinate, uint32_t extent, bool normalized) {
  if (!normalized) return static_cast<int64_t>(std::floor(tame(coordinate)));
  return scaled(fixed_point(coordinate), extent, 0) >> 8;
}

int64_t texel_distance(double coordinate, uint32_t extent, bool normalized) {
  if (!normalized) return static_cast<int64_t>(std::floor(tame(coordinate) * 256 - 127.5));
  return scaled(fixed_point(coordinate), extent, -255 * (kFixed / 2));
}

int64_t addressed(int64_t texel, uint32_t extent, AddressMode mode) {
  const int64_t n = extent;
  switch (mode) {
    case AddressMode::kClamp:
      return std::clamp<int64_t>(texel, 0, n - 1);
    case AddressMode::kWrap:
      return floor_mod(texel, n);
    case AddressMode::kMirror: {
      const int64_t at = floor_mod(texel, 2 * n);
      return at < n ? at : 2 * n - 1 - at;
    }
    case AddressMode::kBorder:
      break;
  }
  return texel < 0 || texel >= n ? -1 : texel;
}

AxisPair axis_pair(double coordinate, uint32_t extent, bool normalized, AddressMode mode, int offset) {
  int64_t at = texel_distance(coordinate, extent, normalized) + offset * 256;
  if (mode == AddressMode::kClamp) at = std::clamp<int64_t>(at, 0, (int64_t{extent} - 1) * 256);
  const int64_t first = at >> 8;
  return {addressed(first, extent, mode), addressed(first + 1, extent, mode), static_cast<int>(at & 255)};
}

AxisPair axis_neighbours(double coordinate, uint32_t extent, bool normalized, AddressMode mode, int offset) {
  const int64_t first = (texel_distance(coordinate, extent, normalized) >> 8) + offset;
  return {addressed(first, extent, mode), addressed(first + 1, extent, mode), 0};
}

}  // namespace gpuloom::ptx
