// SPDX-License-Identifier: Apache-2.0
// The access-policy window of a launch or a stream: launch files, Python, and programs mean this one.
#pragma once
#include <cstdint>

namespace gpuloom::sim {

// By address; properties as in cudaAccessProperty.
struct PolicyWindow {
  uint64_t address = 0, bytes = 0;
  double hit_ratio = 1;
  bool hit_persisting = true, miss_streaming = true;
  uint64_t set_aside_bytes = 0;
};

}  // namespace gpuloom::sim
