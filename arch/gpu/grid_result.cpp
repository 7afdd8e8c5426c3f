// SPDX-License-Identifier: Apache-2.0
#include "arch/gpu/grid_result.h"

#include <algorithm>

namespace gpuloom::arch {

KernelResources resources_of(const ptx::Launch& launch, const ptx::MachineProgram& program) {
  KernelResources k;
  k.threads = static_cast<uint32_t>(launch.block.count());
  k.registers_per_thread = program.registers_per_thread;
  k.shared_dynamic = launch.dynamic_shared_bytes;
  k.shared_static = std::max(launch.shared_bytes, launch.dynamic_shared_bytes) - launch.dynamic_shared_bytes;
  k.barriers = program.program->barrier_count;
  return k;
}

LaunchFacts launch_facts(const GpuConfig& config, const Grid& grid) {
  LaunchFacts f;
  const LimitsConfig& l = config.sm.limits;
  const Occupancy& o = grid.fits;
  f.registers_per_thread = grid.needs.registers_per_thread;
  f.shared_static_bytes = grid.needs.shared_static;
  f.shared_dynamic_bytes = grid.needs.shared_dynamic;
  f.shared_reserved_bytes = l.shared_reserved_per_block;
  f.shared_config_bytes = grid.carveout;
  f.limit_warps = o.limit_warps;
  f.limit_registers = o.limit_registers;
  f.limit_shared = o.allocated_shared && !config.sm.ideal.occupancy.shared
                       ? grid.carveout / o.allocated_shared
                       : o.limit_shared;
  f.limit_blocks = o.limit_blocks;
  f.limit_barriers = o.limit_barriers;
  f.blocks_per_sm = o.blocks;
  f.warps_per_block = o.warps_per_block;
  f.theoretical_occupancy_pct = 100.0 * o.blocks * o.warps_per_block / l.warps_per_sm;
  f.waves_per_sm = static_cast<double>(grid.launch().grid.count()) /
                   (static_cast<double>(config.sm_count()) * std::max(1u, o.blocks));
  return f;
}

void add_counts(InstructionCounts& sum, const InstructionCounts& c) {
  sum.issued += c.issued;
  sum.executed += c.executed;
  sum.thread_executed += c.thread_executed;
  for (size_t i = 0; i < kStallReasons; ++i) sum.stalls[i] += c.stalls[i];
  sum.requests += c.requests;
  sum.sectors += c.sectors;
  sum.ideal_sectors += c.ideal_sectors;
  sum.wavefronts += c.wavefronts;
  sum.ideal_wavefronts += c.ideal_wavefronts;
  sum.bank_conflicts += c.bank_conflicts;
}

std::vector<InstructionCounts> instruction_counts(const Grid& grid) {
  std::vector<InstructionCounts> sum;
  for (const std::vector<InstructionCounts>& table : grid.tables) {
    sum.resize(table.size());
    for (size_t i = 0; i < table.size(); ++i) add_counts(sum[i], table[i]);
  }
  return sum;
}

void AsyncCounts::add(const AsyncCounts& more) {
  copies += more.copies;
  bytes += more.bytes;
  flight += more.flight;
  flight_max = std::max(flight_max, more.flight_max);
  warp_cycles += more.warp_cycles;
  waited_cycles += more.waited_cycles;
}

std::vector<AsyncCounts> async_counts(const std::vector<Sm*>& sms, const Grid& grid) {
  std::vector<AsyncCounts> all;
  for (const Sm* sm : sms) {
    const ResidentGrid* here = sm->find(grid);
    if (here == nullptr) continue;
    for (const AsyncCounts& c : here->copies) {
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&](const AsyncCounts& a) { return a.instruction == c.instruction; });
      if (at == all.end())
        all.push_back(c);
      else
        at->add(c);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const AsyncCounts& a, const AsyncCounts& b) { return a.instruction < b.instruction; });
  return all;
}

}  // namespace gpuloom::arch
