// SPDX-License-Identifier: Apache-2.0
// How many blocks of a launch an SM holds, and what limits them: one answer for `run` and `occupancy`.
#pragma once
#include <string>
#include <vector>

#include "arch/gpc/occupancy.h"
#include "sim/runtime/device.h"

namespace gpuloom::sim {

// Of a launch with so many registers a thread.
arch::KernelResources launch_resources(const LaunchRequest& request, uint32_t registers);

// What allows no more than the blocks that fit: "warps", "registers", "shared memory", "blocks", "barriers".
// Shared memory limits where the largest carve-out does: the driver takes a smaller one that does not.
std::vector<std::string> limiters_of(const arch::Occupancy& occupancy);

}  // namespace gpuloom::sim
