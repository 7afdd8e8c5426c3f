// SPDX-License-Identifier: Apache-2.0
#include "arch/ideal.h"

#include <algorithm>

#include "arch/gpu_config.h"
#include "base/config/config_view.h"

namespace gpuloom::arch {
namespace {

// A rate that nothing is held up by.
constexpr double kAnyRate = 1e6;
// Bytes of a cache that holds all that a simulated launch touches.
constexpr uint64_t kAnySize = uint64_t{1} << 30;

bool on(const ConfigView& view, const char* key, ReadAt at = ReadAt::current()) {
  return view.has(key) && view.boolean(key, at);
}

}  // namespace

IdealConfig read_ideal_config(const ConfigView& view) {
  IdealConfig i;
  if (!view.present()) return i;
  i.bank_conflicts = on(view, "bank_conflicts");
  i.coalescing = on(view, "coalescing");
  i.atomics = on(view, "atomics");
  i.combined_atomics = on(view, "combined_atomics");
  i.local_memory = on(view, "local_memory");
  i.l1 = on(view, "l1");
  i.l2 = on(view, "l2");
  i.l2_capacity = on(view, "l2_capacity");
  i.dram_latency = on(view, "dram_latency");
  i.dram_bandwidth = on(view, "dram_bandwidth");
  i.copies = on(view, "copies");
  i.barriers = on(view, "barriers");
  i.divergence = on(view, "divergence");
  i.partial_warps = on(view, "partial_warps");
  i.fences = on(view, "fences");
  i.constants = on(view, "constants");
  i.uncached_loads = on(view, "uncached_loads");
  i.shared_loads = on(view, "shared_loads");
  i.data_passes = on(view, "data_passes");
  i.reloads = on(view, "reloads");
  i.division = on(view, "division");
  i.conversions = on(view, "conversions");
  i.exchanges = on(view, "exchanges");
  i.slices = on(view, "slices");
  i.functions = on(view, "functions");
  i.calls = on(view, "calls");
  i.lone_threads = on(view, "lone_threads");
  i.common_work = on(view, "common_work");
  i.wide_integers = on(view, "wide_integers");
  i.prologue = on(view, "prologue");
  i.loop_overhead = on(view, "loop_overhead");
  i.double_precision = on(view, "double_precision");
  i.dependences = on(view, "dependences");
  i.issue = on(view, "issue");
  i.instruction_fetch = on(view, "instruction_fetch");
  i.launch = on(view, "launch");
  i.tail = on(view, "tail");
  const ConfigView occupancy = view.optional_child("occupancy");
  if (!occupancy.present()) return i;
  i.occupancy.registers = on(occupancy, "registers");
  i.occupancy.shared = on(occupancy, "shared");
  i.occupancy.warps = on(occupancy, "warps");
  i.occupancy.blocks = on(occupancy, "blocks");
  return i;
}

void apply_ideal(GpuConfig& g) {
  const IdealConfig& ideal = g.sm.ideal;
  LimitsConfig& limits = g.sm.limits;
  // As many as a sub-core's masks of warps hold.
  if (ideal.occupancy.warps) limits.warps_per_sm = std::max(limits.warps_per_sm, 32 * g.sm.sub_cores);
  if (ideal.occupancy.blocks) limits.blocks_per_sm = std::max(limits.blocks_per_sm, limits.warps_per_sm);
  if (ideal.l2_capacity) g.l2.size *= std::max<uint64_t>(1, (kAnySize + g.l2.size - 1) / g.l2.size);
  if (ideal.slices) g.l2.hash = built_in_policy("l2_hash", "h200");
  if (ideal.barriers) g.sm.barrier.latency = g.sm.barrier.per_warp = g.sm.barrier.cluster_latency = 0;
  if (g.sm.pipes[static_cast<size_t>(Pipe::kLsu)].ideal)
    g.sm.memory.address_interval = g.sm.memory.issue_interval = 1;
  if (!ideal.launch) return;
  g.launch.overhead_cycles = g.launch.drain_cycles = g.launch.release_cycles = g.launch.flush_cycles = 0;
  g.launch.queued_overhead_cycles = g.launch.graph_overhead_cycles = g.launch.interval_cycles = 0;
  g.launch.dependent_overhead_cycles = g.launch.dependent_wait_cycles = g.launch.graph_wait_cycles = 0;
  g.launch.child_overhead_cycles = g.launch.tail_cycles = 0;
  g.gpc.blocks_per_cycle = kAnyRate;
  g.gpc.block_interval = g.gpc.tpc_stagger = g.gpc.block_end_latency = 0;
  g.gpc.warp_interval = g.gpc.block_end_interval = 0;
  g.gpc.block_launch_latency = g.sm.fetch.warp_start = 1;  // the least there is
  g.sm.fetch.warp_interval = 0;
}

}  // namespace gpuloom::arch
