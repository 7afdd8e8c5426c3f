// SPDX-License-Identifier: Apache-2.0
// A grid as SMs see it: what is the same for all of them, and what one SM keeps of it while blocks of it, or
// what they have sent, are here. Blocks, warps and messages name the grid that they belong to, so an SM can
// hold blocks of several.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "arch/simulation.h"
#include "arch/sm/kernel_context.h"
#include "arch/types.h"

namespace gpuloom::arch {

// Counts by decoded instruction, a table a host thread: one for each SM would be more than its caches hold.
using InstructionTables = std::vector<std::vector<InstructionCounts>>;

struct GridContext {
  GridContext(const SmConfig& config, ptx::Launch& launch, const ptx::MachineProgram& program)
      : kernel(config, launch, program) {}
  KernelContext kernel;
  InstructionTables tables;  // empty: nobody asks for them
  uint32_t carveout = 0;     // bytes of shared memory of an SM that begins with it
  // Caches were emptied in front of it: what it has not brought along lies in memory.
  bool flushed = false;
  sim::PolicyWindow window;
  // Added to the numbers of its lines of code and constants, so that those of other grids in the same caches
  // are others. 0 for a grid that finds the GPU empty.
  uint64_t line_base = 0;
  // When griddepcontrol.wait goes on; kNever: grids that this one depends on have not ended. Written between
  // windows.
  Cycle depended_until = 0;
};

struct ResidentGrid {
  GridContext* grid = nullptr;    // null: the place is free
  uint32_t blocks = 0;            // that are here
  uint32_t stores_in_flight = 0;  // stores and atomics that memory has not answered yet
  Cycle last_store_answer = 0;
  bool used_memory = false;         // something that its warps asked for has left the SM
  uint64_t warp_instructions = 0;   // of warps that have ended
  uint32_t gpc_sms = 1;             // of the GPC that have blocks of it
  Cycle preload_at = kNever;        // the launch's code is here then
  std::vector<uint64_t> preloaded;  // its lines that have been asked for, a bit each
  std::vector<AsyncCounts> copies;  // what its copies have cost, by the instruction that issued them
};

// Grids of which an SM can hold blocks: as many as it can hold blocks.
constexpr unsigned kMostResident = 32;

// Counts by instruction of the grids that are here, in the tables of the host thread that runs the SM.
struct CountTables {
  std::array<InstructionCounts*, kMostResident> tables{};  // by resident; null: they are not kept
  InstructionCounts* at(unsigned grid, uint32_t source) const {
    return tables[grid] == nullptr ? nullptr : &tables[grid][source];
  }
};

}  // namespace gpuloom::arch
