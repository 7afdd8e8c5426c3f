// SPDX-License-Identifier: Apache-2.0
// Carries out the decoded instructions behind operations when these issue, and starts the accesses and copies
// that they describe.
#pragma once
#include <cstdint>
#include <vector>

#include "arch/sm/async_unit.h"
#include "arch/sm/atomic_records.h"
#include "arch/sm/combined_atomics.h"
#include "arch/sm/config.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/memory_queues.h"
#include "arch/sm/recorders.h"
#include "arch/sm/stats.h"
#include "arch/sm/warp_function.h"
#include "arch/sm/warp_writes.h"
#include "ptx/exec/late_accesses.h"

namespace gpuloom::arch {

// What carrying out may ask of the rest of the SM.
struct ExecutionPorts {
  SmStats& stats;
  const CountTables& counts;
  std::vector<ResidentGrid>& grids;
  WarpWritesTable& writes;
  AtomicRecords& atomics;
  ptx::LateAccesses& late;  // what takes effect at the memory partition and is on its way
  Recorders& recorders;
  MemoryQueues& queues;
  AsyncUnit& async;
  // By block: one of its warps has used the memory queue since its last barrier or mbarrier phase.
  std::vector<uint8_t>& queue_used;
};

class Execution final : public WarpFunction {
 public:
  Execution(const SmConfig& config, unsigned sm, const ExecutionPorts& ports);
  void start_alone() { stash_.clear(); }
  // A fresh warp: what it defers and copies is captured here.
  void launch(unsigned number, ptx::Warp& warp, const CopyOwner& owner);

  bool carry_out(WarpPosition& w, const OpInfo& op, SubCoreStats& stats, Cycle now) override;
  Located locate(WarpPosition& w, Cycle now) override;

 private:
  // An operation that issues.
  struct Issue {
    WarpPosition& at;
    const OpInfo& op;
    SubCoreStats& stats;
    Cycle now;
    ptx::Warp& warp() const { return *at.warp; }
  };
  struct Stashed {  // an access that was carried out before its own operation issues
    uint16_t warp;
    uint32_t source;
    int32_t record;
    ptx::MemoryAccess access;
  };

  bool carry_out_each(const Issue& issue);
  void count_executed(unsigned grid, const ptx::Warp& w, uint32_t pc);
  void divide(ptx::MemoryAccess& access, unsigned warp, uint32_t instruction);
  bool start_stashed(const Issue& issue);
  void start_frame_access(const Issue& issue);
  void start_asynchronous(const Issue& issue);
  static void go_on(WarpPosition& w, const OpInfo& op, bool moved);
  bool read_at_once(ptx::Warp& warp) const;
  int32_t take_deferred(const Issue& issue);
  void time_match(MemoryOp& m, const Issue& issue) const;
  MemoryOp& reserve_op(const Issue& issue, int32_t record);
  void count_store(const MemoryOp& m);
  uint32_t combine(const Issue& issue, int32_t record);
  void start_access(const Issue& issue, const ptx::MemoryAccess* access, int32_t record);

  // --- What an access asks of the memory queue (execution_access.cpp)
  static void count_access(SubCoreStats& s, const ptx::MemoryAccess& access);
  void fill_memory_op(MemoryOp& m, const Issue& issue, const ptx::MemoryAccess& access);
  void fill_shared(MemoryOp& m, const Issue& issue, const ptx::MemoryAccess& access);
  unsigned data_passes(const uint64_t* address, uint32_t lanes, unsigned lane_bytes) const;
  void fill_copy(MemoryOp& m, const Issue& issue, const ptx::MemoryAccess& access);
  void fill_constant(MemoryOp& m, const ptx::MemoryAccess& access) const;
  void fill_local(MemoryOp& m, const ptx::MemoryAccess& access) const;
  void fill_pieces(MemoryOp& m, const ptx::MemoryAccess& access) const;
  void add_apart(MemoryOp& m, const ptx::MemoryAccess& a, uint32_t lanes) const;
  void fill_lines(MemoryOp& m, const ptx::MemoryAccess& a, const uint64_t* address) const;
  void fill_global(MemoryOp& m, const ptx::MemoryAccess& access, bool fenced) const;
  uint64_t local_address(unsigned warp, uint64_t offset, unsigned lane) const;

  const SmConfig& config_;
  unsigned sm_;
  ExecutionPorts ports_;
  std::vector<uint32_t> scratch_record_;  // by warp: where its next atomic is captured
  ptx::MemoryAccess machine_access_;      // one that the machine makes other than the program has it
  std::vector<Stashed> stash_;
  CombinedAtomics combined_;
};

}  // namespace gpuloom::arch
