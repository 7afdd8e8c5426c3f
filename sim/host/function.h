// SPDX-License-Identifier: Apache-2.0
// What a program may ask about a kernel: attributes and occupancy.
#pragma once
#include <cstdint>
#include <optional>

#include "arch/gpc/occupancy.h"
#include "sim/host/launch.h"

namespace gpuloom::host {

struct FunctionFacts {
  uint64_t shared_static = 0, constant = 0, local = 0;
  int threads_max = 0, registers = 0, ptx_version = 0, binary_version = 0, shared_dynamic_max = 0,
      carveout = -1;
  ptx::Dim3 cluster_required{0, 0, 0};
  bool cluster_must_be_set = false, nonportable_cluster = false;
  int cluster_policy = 0;
};

FunctionFacts facts_of(sim::Device& device, Launcher& launcher, Function& function);

// Values of cudaFuncAttribute. Throws Failure (kInvalidValue).
void set_attribute(sim::Device& device, Launcher& launcher, Function& function, int attribute, int value);

// Of blocks of so many threads with so much dynamic shared memory.
arch::Occupancy occupancy_of(sim::Device& device, Launcher& launcher, Function& function, int threads,
                             size_t dynamic_shared);
// Dynamic shared memory that a block may have so that `blocks` fit on an SM.
size_t available_shared(sim::Device& device, Launcher& launcher, Function& function, int blocks, int threads);

}  // namespace gpuloom::host
