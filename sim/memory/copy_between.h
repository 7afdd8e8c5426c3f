// SPDX-License-Identifier: Apache-2.0
// A copy within device memory, or between the memories of two devices, which share an address space.
#pragma once
#include <cstring>

#include "sim/memory/device_memory.h"

namespace gpuloom::sim {

// The two may overlap. Throws as DeviceMemory::view does.
inline void copy_between(DeviceMemory& to, uint64_t to_address, const DeviceMemory& from,
                         uint64_t from_address, uint64_t bytes) {
  std::memmove(to.view(to_address, bytes), from.view(from_address, bytes), bytes);
  to.mark_written(to_address, bytes);
}

}  // namespace gpuloom::sim
