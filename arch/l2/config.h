// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gpuloom {
class ConfigView;
}

namespace gpuloom::arch {

struct L2Config {
  uint64_t bytes = 0;  // all slices together
  uint32_t slices = 0, partitions = 1, ways = 16;
  uint32_t latency = 0;            // slice arrival to data of a hit, core cycles
  uint32_t sectors_per_cycle = 0;  // data rate of a slice, sectors a slice cycle
  uint32_t atomic_interval = 0;    // slice cycles that an atomic on one sector takes
  double clock_hz = 0;
  uint64_t persisting_max_bytes = 0;
};

L2Config read_l2_config(const ConfigView& view);

}  // namespace gpuloom::arch
