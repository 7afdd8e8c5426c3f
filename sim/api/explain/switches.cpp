// SPDX-License-Identifier: Apache-2.0
#include "sim/api/explain/switches.h"

#include <algorithm>

#include "base/error.h"

namespace gpuloom::sim {

const std::vector<IdealSwitch>& ideal_switches() {
  static const std::vector<IdealSwitch> kAll = {
      {"ideal.bank_conflicts", "bank conflicts", {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}},
      {"ideal.coalescing", "uncoalesced accesses", {"lines.excess_sectors"}},
      {"ideal.atomics",
       "atomics that meet",
       {"smsp__inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum"}},
      {"ideal.combined_atomics",
       "atomics that a warp could combine",
       {"smsp__inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum"}},
      {"ideal.local_memory",
       "local memory and spills",
       {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"}},
      {"ideal.l1", "misses in the L1", {"l1tex__t_sectors_lookup_miss.sum"}},
      {"ideal.l2", "misses in L2", {}},
      {"ideal.l2_capacity", "what leaves L2 for want of room", {"dram__bytes_read.sum"}},
      {"ideal.dram_latency", "latency of memory", {}},
      {"ideal.dram_bandwidth", "bandwidth of memory", {}},
      {"ideal.barriers", "waits at barriers", {"smsp__warps_issue_stalled_barrier.sum"}},
      {"ideal.divergence", "divergence", {"divergence.pct"}},
      {"ideal.copies", "waits for asynchronous copies", {"smsp__inst_executed_op_ldgsts.sum", "bulk_copies"}},
      {"ideal.partial_warps", "warps that are not full", {"divergence.pct"}},
      {"ideal.fences", "memory fences", {"opcode.MEMBAR"}},
      {"ideal.constants", "constants that lanes read apart", {"opcode.LDC"}},
      {"ideal.uncached_loads", "loads that go around the L1", {"volatile_loads", "uncached_loads"}},
      {"ideal.shared_loads",
       "loads of single words of shared memory",
       {"smsp__inst_executed_op_shared_ld.sum"}},
      {"ideal.data_passes", "passes of shared memory and the L1", {"l1tex__data_pipe_lsu_wavefronts.sum"}},
      {"ideal.reloads",
       "loads of what has been loaded before",
       {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}},
      {"ideal.division", "divisions", {"divisions"}},
      {"ideal.conversions", "conversions", {"conversions"}},
      {"ideal.exchanges",
       "exchanges within warps",
       {"opcode.SHFL", "opcode.VOTE", "opcode.MATCH", "opcode.REDUX"}},
      {"ideal.functions", "functions of the mathematical library", {"opcode.FFMA", "opcode.DFMA"}},
      {"ideal.calls", "calls of functions", {"opcode.CALL"}},
      {"ideal.lone_threads", "threads that work alone", {"divergence.pct"}},
      {"ideal.common_work", "work that all threads of a block do alike", {"opcode.BRA"}},
      {"ideal.wide_integers", "integers of 64 bits", {}},
      {"ideal.prologue", "what blocks do before their first access", {}},
      {"ideal.slices", "slices of L2 that get more than their share", {}},
      {"ideal.loop_overhead", "counting and branching of loops", {"opcode.BRA"}},
      {"ideal.double_precision", "double precision", {"sm__inst_executed_pipe_fp64.sum"}},
      {"ideal.dependences", "waits for results", {}},
      {"ideal.issue", "issue slots", {"smsp__warps_issue_stalled_not_selected.sum"}},
      {"ideal.instruction_fetch", "instruction fetch", {}},
      {"ideal.launch", "launch and hand-out of blocks", {}},
      {"ideal.tail", "tail of the grid", {}},
      {"ideal.pipes.alu", "integer and logic pipe", {"sm__inst_executed_pipe_alu.sum"}},
      {"ideal.pipes.fma_heavy", "heavy half of the FMA pipe", {"sm__inst_executed_pipe_fmaheavy.sum"}},
      {"ideal.pipes.fma_lite", "light half of the FMA pipe", {"sm__inst_executed_pipe_fma.sum"}},
      {"ideal.pipes.half", "half-precision pipe", {"sm__inst_executed_pipe_fp16.sum"}},
      {"ideal.pipes.fp64", "double-precision pipe", {"sm__inst_executed_pipe_fp64.sum"}},
      {"ideal.pipes.xu", "special-function pipe", {"sm__inst_executed_pipe_xu.sum"}},
      {"ideal.pipes.tensor", "tensor cores", {"sm__inst_executed_pipe_tensor.sum"}},
      {"ideal.pipes.lsu", "issue of memory instructions", {"sm__inst_executed_pipe_lsu.sum"}},
      {"ideal.pipes.tex", "texture pipe", {"sm__inst_executed_pipe_tex.sum"}},
      {"ideal.occupancy.registers", "limit of registers", {"limiter.registers"}},
      {"ideal.occupancy.shared", "limit of shared memory", {"limiter.shared memory"}},
      {"ideal.occupancy.warps", "limit of warps", {"limiter.warps"}},
      {"ideal.occupancy.blocks", "limit of blocks", {"limiter.blocks"}},
  };
  return kAll;
}

const IdealSwitch& ideal_switch(const std::string& key) {
  const auto& all = ideal_switches();
  const auto at = std::find_if(all.begin(), all.end(), [&](const IdealSwitch& s) { return s.key == key; });
  if (at == all.end()) throw Error(ErrorKind::kInput, "'" + key + "' is not a switch that explain tries");
  return *at;
}

bool may_matter(const IdealSwitch& which, const Facts& facts) {
  return which.touches.empty() || std::any_of(which.touches.begin(), which.touches.end(),
                                              [&](const std::string& f) { return facts.value_or(f, 0) > 0; });
}

}  // namespace gpuloom::sim
