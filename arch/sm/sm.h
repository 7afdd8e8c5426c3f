// SPDX-License-Identifier: Apache-2.0
// A streaming multiprocessor: sub-cores, load/store unit, barrier unit, asynchronous copies, resident blocks.
// It runs windows alone; what leaves it is appended to `outbox` and `news`, what arrives is pushed as
// events between windows.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/noc/cluster_link.h"
#include "arch/noc/config.h"
#include "arch/simulation.h"
#include "arch/sm/async_unit.h"
#include "arch/sm/atomic_records.h"
#include "arch/sm/block_host.h"
#include "arch/sm/code_caches.h"
#include "arch/sm/constant_unit.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/execution.h"
#include "arch/sm/fence_unit.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/interval_sampler.h"
#include "arch/sm/lsu.h"
#include "arch/sm/memory_queues.h"
#include "arch/sm/messages.h"
#include "arch/sm/recorders.h"
#include "arch/sm/sub_core.h"
#include "arch/sm/warp_writes.h"
#include "arch/systemc/window_engine.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/late_accesses.h"

namespace gpuloom::arch {

struct BlockSlot {
  ptx::Cta* cta = nullptr;
  std::unique_ptr<ptx::Cta> own;         // without a cluster
  std::shared_ptr<ClusterHold> cluster;  // with one
  uint64_t block = 0;
  uint32_t warps_left = 0;
  uint64_t phase_changes = 0;  // of the CTA, as far as its warps have been told
  uint64_t cluster_phase = 0;
  Cycle cluster_release = 0;  // the cluster barrier's last phase ended then
  Cycle started = 0;
  Cycle barrier_since = kNever;  // first arrival of the running barrier phase
  // Warps that wait for copies or an mbarrier, and their cycles so far.
  uint32_t waiting = 0;
  uint64_t waited = 0;
  Cycle waited_since = 0;
  std::vector<uint16_t> warps;    // SM-wide warp numbers
  std::vector<uint16_t> arrived;  // those that wait at a barrier, in order
  bool busy = false;
  uint8_t grid = 0;              // of those in the SM
  bool lets_dependents = false;  // griddepcontrol.launch_dependents: the distributor has been told
};

class Sm : public sim::WindowUnit,
           public BlockHost,
           private WarpBlocks,
           private CopyBlocks,
           private MemoryClients {
 public:
  Sm(const SmConfig& config, const NocConfig& noc, unsigned id, unsigned gpc, double clock_hz);

  // A grid that finds the whole GPU empty: nothing is left here of those before.
  void start_alone(GridContext& grid);
  // BlockHost
  void assign(GridContext& grid, uint64_t block, const std::shared_ptr<ClusterHold>& cluster, unsigned rank,
              Cycle at) override;
  bool has_place_for(const GridContext& grid) const override;
  uint32_t carveout() const override { return carveout_; }
  bool quiet() const override;
  // Between windows: those that a grid depends on have ended.
  void tell_grids_ended(const GridContext& grid, Cycle at);
  // What is here of a grid; null: nothing. Its place is free once the grid has ended.
  const ResidentGrid* find(const GridContext& grid) const;
  void forget(const GridContext& grid);
  // Instructions of a grid's warps so far, and of all grids that are here.
  uint64_t warp_instructions(const GridContext& grid) const;
  uint64_t warp_instructions() const;
  // Places taken, those among them whose end the distributor has not heard of yet.
  unsigned blocks() const {
    return busy_slots_ + static_cast<unsigned>(std::count_if(news.begin(), news.end(),
                                                             [](const BlockNews& n) { return n.ends; }));
  }
  // Between windows, or from an SM of the same GPC.
  void push(Cycle cycle, const Event& event) {
    take_arrivals();  // which came before
    add_event(cycle, event);
  }
  // The same while other SMs run: the event is put into the queue by the thread that runs this SM, which has
  // the queue in its caches.
  void deliver(Cycle cycle, const Event& event) {
    arrivals_.events.push_back({cycle, event});
    arrivals_.first = std::min(arrivals_.first, cycle);
  }
  void settle_accounts(Cycle now);

  // WindowUnit
  sim::Cycle next_cycle() const override { return std::min(next_, arrivals_.first); }
  sim::Cycle horizon(sim::Cycle window) const override;
  void run_window(const sim::Window& window) override;

  std::vector<OutMessage> outbox;
  std::vector<OutMessage> apart;  // of the first part of a window, while the second runs
  // Puts what leaves before `end` apart, and back.
  void set_apart(Cycle end);
  void rejoin();
  SmStats stats;
  // Which of the GPC's SMs it is, and how many these and all of the GPU are.
  void set_place(unsigned rank, unsigned gpc_sms, unsigned sms) {
    rank_in_gpc_ = rank;
    gpc_sms_ = gpc_sms;
    sms_ = sms;
  }
  // Lines for a deadlock message: who is here and what it waits for. Tries to let divergent lanes go on
  // first; true if some could.
  bool rescue(Cycle now);
  void describe_waits(std::vector<std::string>& lines, size_t limit) const;

  // --- For what looks into it from outside
  ResidentGrid& resident(unsigned grid) { return residents_[grid]; }
  const GridContext& grid(unsigned grid) const { return *residents_[grid].grid; }
  SubCore& sub_core(unsigned i) { return *sub_cores_[i]; }
  unsigned sub_cores() const { return static_cast<unsigned>(sub_cores_.size()); }
  Recorder* recorder() { return recorders_.states.get(); }
  PipelineRecorder* pipeline() { return recorders_.pipeline.get(); }
  void record(const traces::TraceRequest& request) {
    recorders_.states = std::make_unique<Recorder>(request, id(), config_.limits.warps_per_sm);
    recorders_.pipeline = std::make_unique<PipelineRecorder>(
        config_.limits.warps_per_sm, config_.limits.blocks_per_sm, request.fills_per_sm);
  }
  // Counters over time, where they were asked for: interval_sampler.h.
  IntervalSampler* interval_sampler() { return intervals_.get(); }
  void sample_intervals(uint64_t cycles_each);
  void start_intervals(Cycle now) {
    intervals_->start(now);
    pass_intervals(now);
  }
  void pass_intervals(Cycle now) { interval_end_ = intervals_->pass(now); }
  void unsettled(Cycle now, Unsettled& sums) const;

 private:
  // --- What sub-cores tell (WarpBlocks)
  bool barrier_reached(const WarpPosition& w, bool waits, Cycle release, Cycle now) override;
  Cycle release_barrier(unsigned cta, Cycle at, Cycle now, unsigned last) override {
    return tell_block(cta, at, now, last);
  }
  Cycle cluster_barrier_reached(unsigned cta, Cycle now) override;
  void barriers_changed(unsigned cta, Cycle at, Cycle now) override;  // copies tell so too
  void warpgroup_meets(unsigned cta, uint32_t index_in_cta, Cycle now) override;
  void let_dependents(unsigned cta, Cycle now) override;
  void wait_begins(unsigned cta, Cycle now) override { waiting_changes(cta, +1, now); }
  void wait_ends(unsigned cta, Cycle now) override { waiting_changes(cta, -1, now); }
  void warp_retired(const WarpPosition& w, Cycle now) override;
  // --- Copies (CopyBlocks)
  void copies_changed(unsigned warp, Cycle now) override {
    sub_core_of(warp).copies_changed(slot_of(warp), now);
  }
  uint64_t waited(unsigned cta, Cycle now) override {
    waiting_changes(cta, 0, now);
    return blocks_[cta].waited;
  }
  // --- The load/store unit (MemoryClients)
  void queue_freed(unsigned sub_core, Cycle now) override { sub_cores_[sub_core]->queue_freed(now); }
  void all_sent(unsigned warp, Cycle now) override { sub_core_of(warp).stores_sent(slot_of(warp), now); }
  void copy_here(uint32_t copy, Cycle now) override { async_.data_arrived(copy, now); }
  void bulk_line_here(uint32_t bulk, Cycle now) override { async_.bulk_line(bulk, now); }
  void late_answered(const ptx::DeferredAtomic& access, Cycle now) override;
  ClusterLink& link_of(unsigned warp, unsigned rank) override;
  bool hears(uint32_t events) const override;
  void accessed(unsigned warp, policy::L1Access access) override;
  void evicted(uint64_t line, Cycle now) override;

  SubCore& sub_core_of(unsigned warp) { return *sub_cores_[warp / slots_per_sub_]; }
  unsigned slot_of(unsigned warp) const { return warp % slots_per_sub_; }
  WarpSlot& warp_slot(unsigned warp) { return sub_core_of(warp).slot(slot_of(warp)); }
  void waiting_changes(unsigned cta_slot, int change, Cycle now) {
    BlockSlot& b = blocks_[cta_slot];
    if (now > b.waited_since) {
      b.waited += b.waiting * (now - b.waited_since);
      b.waited_since = now;
    }
    b.waiting = static_cast<uint32_t>(static_cast<int>(b.waiting) + change);
  }
  void handle(const Event& event, Cycle now);
  void store_answered(const Event& event, Cycle now);
  void start_block(unsigned slot, Cycle now);
  void empty_caches(uint32_t carveout, bool flushed);
  unsigned admit(GridContext& grid);
  unsigned place_of(GridContext& grid);
  void set_counts(unsigned thread);
  // An instruction may have released a barrier or changed an mbarrier: tells those who wait.
  Cycle tell_block(unsigned cta_slot, Cycle at, Cycle now, unsigned last = UINT32_MAX);
  void retry_wait(unsigned warp, Cycle now);
  void grids_ended(unsigned grid, Cycle now);
  void cluster_released(unsigned cta_slot, Cycle at, Cycle now);

  // What has been delivered, in order, on lines of the host's cache of its own.
  struct alignas(64) Arrivals {
    struct Arrival {
      Cycle cycle;
      Event event;
    };
    Cycle first = kNever;
    std::vector<Arrival> events;
  };
  void take_arrivals();
  void add_event(Cycle cycle, const Event& event) {
    events_.push(cycle, event);
    next_ = std::min(next_, cycle);
  }

  const SmConfig& config_;
  const NocConfig& noc_;
  unsigned slots_per_sub_;
  // What several units keep or look at: their ports name what each may.
  EventQueue events_;
  CountTables counts_;
  std::vector<ResidentGrid> residents_;
  WarpWritesTable writes_;
  AtomicRecords atomics_;
  ptx::LateAccesses late_;
  Recorders recorders_;
  std::vector<uint8_t> queue_used_;  // by block: ExecutionPorts
  std::unique_ptr<ClusterLink> link_;
  // The units
  InstructionL1 code_;
  ConstantL1 constant_l1_;
  FenceUnit fences_;
  ConstantUnit constants_;
  MemoryQueues queues_;
  Lsu lsu_;
  AsyncUnit async_;
  Execution execution_;
  std::vector<std::unique_ptr<SubCore>> sub_cores_;

  unsigned resident_end_ = 0;  // behind the last that is taken
  uint32_t carveout_ = 0;
  bool used_ = false;  // a block has come since everything was forgotten
  // The caches are to be emptied when the first block of the lone grid comes, in front of which L2 was
  // flushed.
  bool empties_later_ = false, flushed_ = false;
  uint64_t gone_instructions_ = 0;  // of grids that have left since the SM was empty
  Cycle next_ = kNever;
  std::vector<BlockSlot> blocks_;
  unsigned busy_slots_ = 0, next_sub_ = 0, warps_resident_ = 0;
  Cycle active_since_ = 0, warps_since_ = 0;
  Cycle barrier_free_ = 0;
  unsigned rank_in_gpc_ = 0, gpc_sms_ = 1, sms_ = 1;
  std::unique_ptr<IntervalSampler> intervals_;
  Cycle interval_end_ = kNever;
  Arrivals arrivals_;
};

}  // namespace gpuloom::arch
