// SPDX-License-Identifier: Apache-2.0
// A grid that the GPU has been given: what it is, and how far it is.
#pragma once
#include <memory>
#include <vector>

#include "arch/gpc/occupancy.h"
#include "arch/policy/interface.h"
#include "arch/sm/grid_context.h"

namespace gpuloom::arch {

struct Grid : GridContext {
  Grid(const SmConfig& config, ptx::Launch& launch, const ptx::MachineProgram& program)
      : GridContext(config, launch, program) {}
  ptx::Launch& launch() const { return *kernel.launch; }
  const std::string& name() const { return kernel.program->name; }

  Ticket ticket = 0;
  int priority = 0;  // less goes first, as in CUDA
  KernelResources needs;
  Occupancy fits;
  RunLimits limits;
  ProgressFn progress;
  std::function<void(KernelResult&&)> ended_with;

  // --- Time
  Cycle start = 0, begin = 0;                        // it begins; its blocks may
  bool joined = false;                               // other grids were on the GPU when it came
  bool lone() const { return shared_with.empty(); }  // so far
  Cycle end = kNever;  // known once all blocks have ended and memory has answered them

  // --- How far its blocks are: the distributor's
  uint32_t cluster_blocks = 1;
  uint64_t next_block = 0, total = 0, finished = 0;
  Cycle last_end = 0, interval = 0;
  // Blocks that let dependent grids begin, by griddepcontrol or by their end; and when the last of them did.
  uint64_t letting = 0;
  Cycle lets_dependents = kNever;
  std::vector<uint32_t> held;  // by SM: places taken, as far as the distributor knows
  std::unique_ptr<policy::BlockOrder> order;
  bool placed() const { return next_block == total; }
  bool ended() const { return finished == total; }

  // --- Programmatic dependent launch
  bool of_graph = false;
  std::vector<Ticket> depends_on;  // grids that have not ended
  bool dependents_told = false;    // of lets_dependents

  // --- For its result
  stats::Snapshot before;
  std::vector<Ticket> shared_with;  // grids that were on the GPU at the same time
  uint64_t windows = 0;             // of the engine, before it
};

}  // namespace gpuloom::arch
