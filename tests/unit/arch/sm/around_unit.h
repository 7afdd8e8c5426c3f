// SPDX-License-Identifier: Apache-2.0
// What stands around a unit of the SM in its tests: what units share, and a small kernel. There is no SM.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arch/gpu_config.h"
#include "arch/noc/cluster_link.h"
#include "arch/sm/atomic_records.h"
#include "arch/sm/code_caches.h"
#include "arch/sm/constant_unit.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/fence_unit.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/memory_queues.h"
#include "arch/sm/messages.h"
#include "arch/sm/recorders.h"
#include "arch/sm/stats.h"
#include "arch/sm/warp_writes.h"
#include "base/config/config.h"
#include "ptx/exec/late_accesses.h"
#include "tests/catch2.h"
#include "tests/unit/lowered.h"

namespace gpuloom::arch {

inline GpuConfig tiny_gpu() {
  const Config config = Config::load("test/tiny");
  GpuConfig gpu = load_gpu_config(config.root());
  config.check();
  return gpu;
}

// A grid of a small kernel.
struct SmallGrid {
  ptx::Lowered code;
  ptx::Launch launch;
  GridContext context;
  SmallGrid(const SmConfig& config, const std::string& body, uint32_t threads)
      : code(ptx::lowered_text(".visible .entry k(.param .u64 p) {\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n"
                               ".reg .b64 %rd<8>;\n.shared .align 16 .b8 s[1024];\n" +
                                   body + "exit;\n}\n",
                               ptx::Loops::kAsWritten)),
        launch(launch_of(*code.machine.program, threads)),
        context(config, launch, code.machine) {}

 private:
  static ptx::Launch launch_of(const ptx::Program& program, uint32_t threads) {
    ptx::Launch l;
    l.program = &program;
    l.grid = l.cluster = {1, 1, 1};
    l.block = {threads, 1, 1};
    l.shared_bytes = 1024;
    l.params.resize(program.param_bytes);
    return l;
  }
};

struct AroundUnit {
  GpuConfig gpu = tiny_gpu();
  EventQueue events;
  SmStats stats;
  CountTables counts;
  std::vector<OutMessage> outbox;
  std::vector<ResidentGrid> grids{1};
  WarpWritesTable writes{gpu.sm.limits.warps_per_sm};
  AtomicRecords atomics;
  ptx::LateAccesses late;
  Recorders recorders;
  std::unique_ptr<ClusterLink> link;
  InstructionL1 code{gpu.sm.fetch};
  ConstantL1 constant_l1{gpu.sm};
  FenceUnit fences{gpu.sm.barrier, gpu.noc.far_partition_extra, events, writes};
  ConstantUnit constants{gpu.sm.constant, events, constant_l1};
  MemoryQueues queues{gpu.sm};
  SmallGrid grid;

  explicit AroundUnit(const std::string& body = "", uint32_t threads = 32) : grid(gpu.sm, body, threads) {
    grids[0].grid = &grid.context;
    grids[0].preloaded.assign(64, 0);
    grids[0].preload_at = 0;
    constants.start_kernel();
  }

  struct Happened {
    Cycle cycle;
    Event event;
  };
  // Events up to a cycle, with their time.
  std::vector<Happened> happen(Cycle until) {
    std::vector<Happened> all;
    for (Cycle at = events.next(); at <= until && at != kNever; at = events.next())
      events.run(at, [&](const Event& e) { all.push_back({at, e}); });
    return all;
  }
};

// When the first event of a kind comes; kNever without one.
inline Cycle first_of(const std::vector<AroundUnit::Happened>& all, EventKind kind) {
  for (const auto& [cycle, event] : all)
    if (event.kind == kind) return cycle;
  return kNever;
}

inline unsigned count_of(const std::vector<AroundUnit::Happened>& all, EventKind kind) {
  unsigned n = 0;
  for (const auto& h : all) n += h.event.kind == kind;
  return n;
}

}  // namespace gpuloom::arch
