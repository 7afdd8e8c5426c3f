// SPDX-License-Identifier: Apache-2.0
// Watches a functional run and counts, for each memory instruction, what its requests would cost: sectors by
// the rule of arch/sm/coalescer, wavefronts and conflicts by that of arch/sm/bank_rule. Accesses that the
// machine program joins (LDS.128 of four) count as the one that they are, so the numbers are those of the
// hardware's counters.
#pragma once
#include <vector>

#include "arch/sm/bank_rule.h"
#include "arch/sm/config.h"
#include "ptx/exec/functional.h"
#include "ptx/machine/machine_program.h"
#include "sim/report/access_report.h"
#include "sim/runtime/source_place.h"

namespace gpuloom::sim {

// A request kept as an example: for hints.
struct AccessSample {
  uint32_t lanes = 0;
  uint64_t cost = 0;  // conflicts, or sectors too many
  uint64_t address[32] = {};
};

// What is known of an instruction while the kernel runs.
struct SiteRecord {
  uint32_t pc = 0;
  ptx::AccessOp op = ptx::AccessOp::kNone;
  ptx::Space space = ptx::Space::kGlobal;
  const char* copy = nullptr;  // name of a bulk or tensor copy, which is counted by its bytes
  uint8_t lane_bytes = 0, rows = 0;
  uint32_t joined = 1;
  AccessCounts counts;
  uint32_t worst_sectors = 0, worst_degree = 0;
  std::vector<AccessSample> samples;  // the costliest, the costliest first
};

class AccessAnalysis final : public ptx::AccessObserver {
 public:
  AccessAnalysis(const arch::SmConfig& config, const ptx::MachineProgram& machine,
                 LineRule rule = LineRule::kUser);
  void accessed(const ptx::Warp& w, uint32_t pc, const ptx::MemoryAccess& access) override;
  void copied(const ptx::Warp& w, uint32_t pc, const ptx::AsyncOperation& copy) override;

  // Everything so far, with hints; the kernel's name and shape are the caller's.
  AccessReport report();

 private:
  struct Group {
    uint32_t source = 0, last = 0;  // decoded instructions: the one that it stands for, the last that joins
    uint8_t lane_bytes = 0;
  };
  struct Pending {
    const ptx::Warp* warp = nullptr;  // may be gone: a name only
    uint32_t rank = 0, group = 0, joined = 0;
    ptx::MemoryAccess sum;
  };
  void joined(const ptx::Warp& w, uint32_t pc, const ptx::MemoryAccess& access, uint32_t group);
  void count(uint32_t own_rank, uint32_t pc, const ptx::MemoryAccess& access, unsigned lane_bytes,
             uint32_t joined);
  void count_shared(SiteRecord& site, uint32_t pc, const ptx::MemoryAccess& access, uint32_t own_rank);
  void count_sectors(SiteRecord& site, const ptx::MemoryAccess& access, int64_t offset);
  void keep(SiteRecord& site, uint64_t cost, uint32_t lanes, const uint64_t* address);
  SiteRecord& site(uint32_t pc, ptx::AccessOp op, ptx::Space space, unsigned lane_bytes);
  AccessSite finished(const SiteRecord& record) const;

  const ptx::Program& program_;
  LineRule rule_;
  arch::BankGeometry geometry_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;          // by instruction; kNone
  std::vector<uint8_t> silent_;             // by instruction: its access is none on the hardware
  std::vector<arch::SharedAtomic> atomic_;  // by instruction: how it passes shared memory
  // By instruction: the first that stands for the same PTX, which counts for all copies of an unrolled loop.
  std::vector<uint32_t> first_of_;
  std::vector<std::vector<SiteRecord>> sites_;  // by instruction; one for each space that it met
  std::vector<Pending> pending_;
};

}  // namespace gpuloom::sim
