// SPDX-License-Identifier: Apache-2.0
// The access-policy window of a launch or a stream, and the part of L2 that is set aside for persisting
// accesses (CUDA Programming Guide, "L2 Cache Control"). Launch files, Python, programs and L2 mean this one.
#pragma once
#include <cstdint>

namespace gpuloom::sim {

// By address, in bytes; bytes 0: none. Properties as in cudaAccessProperty.
struct PolicyWindow {
  uint64_t address = 0, bytes = 0;
  double hit_ratio = 1;  // share of its lines that are classed as hits, the same ones each time
  bool hit_persisting = true, miss_streaming = true;  // false: as without a window
  uint64_t set_aside_bytes = 0;
};

}  // namespace gpuloom::sim
