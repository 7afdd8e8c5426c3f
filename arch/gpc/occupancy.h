// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit on one SM, by the rules of NVIDIA's cuda_occupancy.h (CUDA 13.0). A pure
// function: the work distributor, the runtime's occupancy queries and the reports use it.
#pragma once
#include <climits>
#include <cstdint>
#include <functional>

#include "arch/gpu_config.h"

namespace gpuloom::arch {

constexpr uint32_t kUnlimited = INT_MAX;

struct KernelResources {
  uint32_t threads = 1;                            // of a block
  uint32_t registers_per_thread = 0;               // 0: no limit by registers
  uint32_t shared_static = 0, shared_dynamic = 0;  // bytes of a block
  int carveout_percent = -1;                       // preferred share of shared memory; -1: the most there is
  bool optin = true;                               // may use more than limits.shared_per_block
  uint32_t barriers = 1;                           // named barriers of a block; 0: not counted
};

struct Occupancy {
  uint32_t limit_warps = 0, limit_registers = 0, limit_shared = 0, limit_blocks = 0, limit_barriers = 0;
  uint32_t blocks = 0;  // the least of them
  uint32_t warps_per_block = 0;
  uint32_t allocated_registers = 0;  // of a block
  uint32_t allocated_shared = 0;     // of a block, reserve and rounding included
  uint32_t carveout = 0;             // bytes of shared memory that the limit was computed with
};

Occupancy occupancy(const GpuConfig& config, const KernelResources& kernel);

// Clusters of `cluster_blocks` blocks that fit on the whole GPU at once, as cudaOccupancyMaxActiveClusters
// answers: a group of SMs (GpcConfig::cluster_groups) counts if it has as many SMs as the cluster blocks, and
// then with all its block places. `one` is the occupancy of one SM.
uint32_t max_active_clusters(const GpuConfig& config, const Occupancy& one, uint32_t cluster_blocks);

// The largest cluster of which one fits: cudaOccupancyMaxPotentialClusterSize. Powers of two only, as there.
uint32_t max_potential_cluster_size(const GpuConfig& config, const Occupancy& one, bool nonportable);

// The block size with the most threads on an SM, the largest of equals, and the blocks that fill the GPU:
// cudaOccupancyMaxPotentialBlockSize. `kernel.threads` is ignored; `most` bounds the block (0: the device's
// limit); `dynamic` gives the dynamic shared memory of a block size, kernel.shared_dynamic where empty.
struct BlockChoice {
  uint32_t block = 0, grid = 0;
};
BlockChoice max_potential_block_size(const GpuConfig& config, KernelResources kernel, uint32_t most = 0,
                                     const std::function<uint32_t(uint32_t)>& dynamic = {});

// The carve-out that a launch gets: what the program prefers, or else what its blocks need and room for some
// more of them (limits.carveout_room).
uint32_t launch_carveout(const GpuConfig& config, const KernelResources& kernel, const Occupancy& occupancy);

}  // namespace gpuloom::arch
