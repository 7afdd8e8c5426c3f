// SPDX-License-Identifier: Apache-2.0
// Where an address lives: partition and slice of L2, set of a slice, bank of a channel. NVIDIA's functions
// are not known (Jin et al., MICRO 2024); these spread every stride.
#pragma once
#include <cstdint>

#include "arch/l2/config.h"
#include "arch/types.h"

namespace gpuloom::arch {

inline uint64_t mix_address(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

// The set is chosen apart from the slice: both come from one address.
inline uint64_t set_of(uint64_t line, uint32_t sets) {
  return mix_address(line / kLineBytes + 0x51ed27) % sets;
}

struct L2Place {
  unsigned partition, index;  // index: of the slice in its partition
};

// Pairs of lines of one `slice_interleave` block alternate between two slices. H200 (probes/clusters, hot):
// 128 and 256 B that all SMs read come at the rate of one slice of each side, 512 B and 1 KiB of two, 2 KiB
// of four, 4 KiB of eight.
inline L2Place l2_place(uint64_t line, const L2Config& l2) {
  const unsigned partition =
      l2.partitions == 1 ? 0
                         : static_cast<unsigned>(mix_address(line / l2.partition_interleave) % l2.partitions);
  const unsigned each = l2.slices / l2.partitions;
  const uint64_t block = mix_address(line / l2.slice_interleave + 0x2545f4);
  const unsigned first = static_cast<unsigned>(block % each);
  const uint64_t odd = line / (2 * kLineBytes) & 1;
  return {partition, odd ? (first + each / 2) % each : first};
}

}  // namespace gpuloom::arch
