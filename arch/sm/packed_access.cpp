// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/packed_access.h"

#include <algorithm>
#include <array>
#include <bit>

#include "arch/types.h"

namespace gpuloom::arch {
namespace {

// Runs that the transposed tile has side by side: as many as a block has threads at most.
constexpr uint64_t kTileRuns = 1024;

// Runs of `length` elements side by side, each run `stride` bytes behind the one before.
struct Pattern {
  unsigned length = 0;
  uint64_t stride = 0;
};

// The pattern of `count` addresses; no length where there is none.
Pattern pattern_of(const std::array<uint64_t, kWarpSize>& at, unsigned count, unsigned lane_bytes) {
  unsigned length = 1;
  while (length < count && at[length] == at[0] + uint64_t{length} * lane_bytes) ++length;
  if (length == count) return {count, uint64_t{count} * lane_bytes};
  if (at[length] <= at[0]) return {};
  const uint64_t stride = at[length] - at[0];
  if (stride < uint64_t{length} * lane_bytes) return {};
  for (unsigned i = 0; i < count; ++i)
    if (at[i] != at[0] + i / length * stride + uint64_t{i % length} * lane_bytes) return {};
  return {length, stride};
}

}  // namespace

void pack_lanes(uint64_t* address, uint32_t lanes, unsigned lane_bytes) {
  std::array<uint64_t, kWarpSize> at{};
  unsigned count = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) at[count++] = address[std::countr_zero(rest)];
  if (count == 0) return;
  const uint64_t bytes = uint64_t{count} * lane_bytes;
  const Pattern p = pattern_of(at, count, lane_bytes);
  uint64_t base = at[0];
  if (p.length != 0 && p.length != count) {
    const uint64_t run = uint64_t{p.length} * lane_bytes, tile = p.stride * kTileRuns, in = at[0] % tile;
    base = at[0] - in + in % p.stride / run * (run * kTileRuns) + in / p.stride * run;
  }
  // Warps of whole lines begin at a line, smaller ones at a sector.
  const uint64_t grain = std::clamp<uint64_t>(std::bit_floor(bytes), kSectorBytes, kLineBytes);
  base = base / grain * grain;
  unsigned rank = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1, ++rank)
    address[std::countr_zero(rest)] = base + uint64_t{rank} * lane_bytes;
}

}  // namespace gpuloom::arch
