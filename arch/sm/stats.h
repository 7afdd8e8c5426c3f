// SPDX-License-Identifier: Apache-2.0
// Counters of an SM and of its sub-cores, under Nsight Compute's names without roll-up suffix (sm__ and
// l1tex__: one value an SM; smsp__: one a sub-core).
#pragma once
#include "arch/sm/config.h"
#include "arch/stall_reason.h"
#include "base/stats/stats.h"

namespace gpuloom::arch {

struct SubCoreStats : stats::Group {
  stats::Counter inst_executed{this, "smsp__inst_executed", "inst", "Warp instructions executed."};
  stats::Counter inst_issued{this, "smsp__inst_issued", "inst",
                             "Warp instructions issued, replays included."};
  stats::Counter thread_inst{this, "smsp__thread_inst_executed", "inst",
                             "Thread instructions executed, predicated-off ones included."};
  stats::Counter thread_inst_on{this, "smsp__thread_inst_executed_pred_on", "inst",
                                "Thread instructions executed with their predicate on."};
  stats::Counter issue_active{this, "smsp__issue_active", "cycle", "Cycles in which the scheduler issued."};
  stats::Counter cycles_active{this, "smsp__cycles_active", "cycle", "Cycles with at least one warp."};
  stats::Counter warps_active{this, "smsp__warps_active", "warp", "Warps resident, summed over cycles."};
  stats::Vector<kStallReasons> stalls{this, "smsp__warps_issue_stalled_{}", "warp",
                                      "Warps in this issue state, summed over cycles.", kStallNames};
  stats::Counter shared_ld{this, "smsp__inst_executed_op_shared_ld", "inst", "Shared-memory loads executed."};
  stats::Counter shared_st{this, "smsp__inst_executed_op_shared_st", "inst",
                           "Shared-memory stores executed."};
  stats::Counter shared_atom{this, "smsp__inst_executed_op_shared_atom", "inst",
                             "Shared-memory atomics executed."};
  stats::Counter global_ld{this, "smsp__inst_executed_op_global_ld", "inst", "Global loads executed."};
  stats::Counter global_st{this, "smsp__inst_executed_op_global_st", "inst", "Global stores executed."};
  stats::Counter global_atom{this, "smsp__inst_executed_op_global_atom", "inst",
                             "Global atomics with a result executed."};
  stats::Counter global_red{this, "smsp__inst_executed_op_global_red", "inst", "Global reductions executed."};
  stats::Counter local_ld{this, "smsp__inst_executed_op_local_ld", "inst", "Local loads executed."};
  stats::Counter local_st{this, "smsp__inst_executed_op_local_st", "inst", "Local stores executed."};
  stats::Counter ldsm{this, "smsp__inst_executed_op_ldsm", "inst",
                      "Matrix loads from shared memory executed."};
  stats::Counter ldgsts{this, "smsp__inst_executed_op_ldgsts", "inst",
                        "Asynchronous copies (cp.async) executed."};
};

// Pipes as Nsight Compute counts them. `fma` counts both halves.
enum class PipeCounter : uint8_t {
  kAlu,
  kFma,
  kFmaHeavy,
  kFp16,
  kFp64,
  kXu,
  kLsu,
  kAdu,
  kCbu,
  kUniform,
  kTensor,
  kTex,
  kCount
};
inline constexpr std::array<const char*, static_cast<size_t>(PipeCounter::kCount)> kPipeCounterNames = {
    "alu", "fma", "fmaheavy", "fp16", "fp64", "xu", "lsu", "adu", "cbu", "uniform", "tensor", "tex"};

struct SmStats : stats::Group {
  stats::Counter cycles_active{this, "sm__cycles_active", "cycle", "Cycles with at least one warp."};
  stats::Counter warps_active{this, "sm__warps_active", "warp", "Warps resident, summed over cycles."};
  stats::Maximum warps_most{this, "sim__warps_resident_max", "warp", "Most warps resident at a time."};
  stats::Counter ctas{this, "sm__ctas_launched", "block", "Blocks started."};
  stats::Vector<static_cast<size_t>(PipeCounter::kCount)> pipe{this, "sm__inst_executed_pipe_{}", "inst",
                                                               "Warp instructions executed by this pipe.",
                                                               kPipeCounterNames};
  stats::Counter requests_ld{this, "l1tex__t_requests_pipe_lsu_mem_global_op_ld", "request",
                             "Global load requests to L1."};
  stats::Counter requests_st{this, "l1tex__t_requests_pipe_lsu_mem_global_op_st", "request",
                             "Global store requests to L1."};
  stats::Counter sectors_ld{this, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "sector",
                            "Sectors of global loads looked up in L1."};
  stats::Counter sectors_ld_hit{this, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit", "sector",
                                "Sectors of global loads found in L1."};
  stats::Counter sectors_st{this, "l1tex__t_sectors_pipe_lsu_mem_global_op_st", "sector",
                            "Sectors of global stores through L1."};
  stats::Counter sectors_local_ld{this, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld", "sector",
                                  "Sectors of local loads looked up in L1."};
  stats::Counter sectors_local_st{this, "l1tex__t_sectors_pipe_lsu_mem_local_op_st", "sector",
                                  "Sectors of local stores through L1."};
  stats::Counter sectors{this, "l1tex__t_sectors", "sector", "Sectors looked up in L1."};
  stats::Counter sectors_hit{this, "l1tex__t_sectors_lookup_hit", "sector", "Sectors found in L1."};
  stats::Counter sectors_miss{this, "l1tex__t_sectors_lookup_miss", "sector", "Sectors not found in L1."};
  stats::Counter conflicts{this, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared", "",
                           "Passes beyond those without bank conflicts."};
  stats::Counter conflicts_ld{this, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", "",
                              "Bank conflicts of shared loads."};
  stats::Counter conflicts_st{this, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", "",
                              "Bank conflicts of shared stores."};
  stats::Counter conflicts_atom{this, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom", "",
                                "Bank conflicts of shared atomics."};
  stats::Counter wavefronts{this, "l1tex__data_pipe_lsu_wavefronts", "", "Passes of the data stage."};
  stats::Counter wavefronts_shared{this, "l1tex__data_pipe_lsu_wavefronts_mem_shared", "",
                                   "Passes for shared memory."};
  stats::Counter wavefronts_shared_ld{this, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", "",
                                      "Passes of shared loads."};
  stats::Counter wavefronts_shared_st{this, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", "",
                                      "Passes of shared stores."};
  stats::Counter wavefronts_shared_ideal{this, "sim__wavefronts_mem_shared_ideal", "",
                                         "Passes for shared memory without conflicts."};
  stats::Counter ideal_sectors{this, "sim__sectors_mem_global_ideal", "sector",
                               "Sectors that global accesses would need if their bytes lay together."};
  stats::Counter icc_requests{this, "sim__icache_l0_requests", "request",
                              "Instruction lines asked of the L0 instruction caches."};
  stats::Counter icc_misses{this, "sim__icache_l0_misses", "request",
                            "Instruction lines not found in the L0 instruction caches."};
  stats::Counter imc_misses{this, "sim__constant_l0_misses", "request",
                            "Constant lines not found in the L0 constant caches."};
  stats::Counter bulk_copies{this, "sim__bulk_copies", "", "Bulk and tensor copies."};
  stats::Counter bulk_bytes{this, "sim__bulk_bytes", "byte", "Bytes of bulk and tensor copies."};

  // Passes of the shared-memory path that do not access it.
  void shared_pass(unsigned passes) {
    wavefronts += passes;
    wavefronts_shared += passes;
  }
};

}  // namespace gpuloom::arch
