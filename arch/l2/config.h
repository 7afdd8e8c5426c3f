// SPDX-License-Identifier: Apache-2.0
// The level-2 cache: the group `l2`.
#pragma once
#include <cstdint>

#include "arch/policy/choice.h"

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct L2Config {
  uint64_t size = 0;  // bytes, all slices together
  uint32_t slices = 0, ways = 0, way_groups = 0, partitions = 0;
  uint32_t partition_interleave = 0, slice_interleave = 0;  // bytes
  uint32_t hit_latency = 0;                                 // of a slice alone, core cycles
  uint32_t request_bytes = 0;                               // that a request takes of the slice at least
  uint32_t partial_extra = 0;  // that each sector of it takes which it covers in part
  uint32_t write_extra = 0;    // that a write takes of the slice beyond its sectors, bytes
  double bytes_per_cycle = 0;  // of a slice, a slice cycle
  uint32_t atomic_interval = 0, atomic_latency = 0;
  double atomic_part = 1;  // times the interval that a turn takes which does not fill its sector
  double atomic_sum = 0;   // cycles from a sum of floating-point numbers to the next one on its sector
  double persisting_fraction = 0;
  uint64_t persisting_max = 0, window_max = 0;  // bytes
  double clock_hz = 0;
  PolicyChoice replacement, hash, prefetch;
  policy::L2Host host() const { return {slices, partitions, sets(), partition_interleave, slice_interleave}; }
  uint32_t sets() const { return static_cast<uint32_t>(size / slices / ways / 128); }
};

L2Config read_l2_config(const ConfigView& view, double clock_hz);

}  // namespace gpuloom::arch
