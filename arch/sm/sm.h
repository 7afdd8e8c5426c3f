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
#include "arch/simulation.h"
#include "arch/sm/async_unit.h"
#include "arch/sm/constant_unit.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/fence_unit.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/interval_sampler.h"
#include "arch/sm/lsu.h"
#include "arch/sm/messages.h"
#include "arch/sm/ordering_pass.h"
#include "arch/sm/pipeline_recorder.h"
#include "arch/sm/recorder.h"
#include "arch/sm/sub_core.h"
#include "arch/systemc/window_engine.h"
#include "ptx/exec/cta.h"

namespace gpuloom::arch {

class Sm;

// The blocks of a cluster, which live until the last of them has ended: they reach into each other's shared
// memory.
struct ClusterHold {
  ptx::Cluster cluster;
  std::vector<std::unique_ptr<ptx::Cta>> blocks;
  struct Place {
    Sm* sm;
    unsigned slot;
  };
  std::vector<Place> places;  // by rank
};

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
  bool queue_used =
      false;  // one of its warps has used the memory queue since its last barrier or mbarrier phase
};

// An atomic, or an ordered load or store, on its way to the memory partition.
struct AtomicRecord {
  ptx::DeferredAtomic data;
  uint16_t warp = 0, remaining = 0, tail = 0;
  uint8_t scoreboard = ptx::kNoScoreboard, grid = 0;
  bool store = false;  // without a result
};

class Sm : public sim::WindowUnit {
 public:
  Sm(const SmConfig& config, const NocConfig& noc, unsigned id, unsigned gpc, double clock_hz);

  // A grid that finds the whole GPU empty: nothing is left here of those before.
  void start_alone(GridContext& grid);
  // Between windows: a block of a grid takes a free slot and starts at `at`.
  unsigned assign(GridContext& grid, uint64_t block, const std::shared_ptr<ClusterHold>& cluster,
                  unsigned rank, Cycle at);
  // Between windows: those that a grid depends on have ended.
  void tell_grids_ended(const GridContext& grid, Cycle at);
  // What is here of a grid; null: nothing. Its place is free once the grid has ended.
  const ResidentGrid* find(const GridContext& grid) const;
  void forget(const GridContext& grid);
  bool has_place_for(const GridContext& grid) const;
  // Bytes of shared memory that its blocks share out: those of the grid that came to it when it was empty.
  uint32_t carveout() const { return carveout_; }
  // No blocks, and nothing of earlier ones on its way: its carve-out can change.
  bool quiet() const;
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
  // What the distributor has not heard of: blocks that have ended, and those that let dependent grids begin.
  struct BlockNews {
    Cycle at;
    GridContext* grid;
    bool ends;
    bool lets_dependents;  // now, or at its end for the first time
  };
  std::vector<BlockNews> news;
  SmStats stats;
  unsigned id() const { return id_; }
  unsigned gpc() const { return gpc_; }
  void set_rank_in_gpc(unsigned rank) { rank_in_gpc_ = rank; }
  // Lines for a deadlock message: who is here and what it waits for. Tries to let divergent lanes go on
  // first; true if some could.
  bool rescue(Cycle now);
  void describe_waits(std::vector<std::string>& lines, size_t limit) const;

  // --- For the units inside
  ResidentGrid& resident(unsigned grid) { return residents_[grid]; }
  const GridContext& grid(unsigned grid) const { return *residents_[grid].grid; }
  SubCore& sub_core(unsigned i) { return *sub_cores_[i]; }
  unsigned warp_number(unsigned sub, unsigned slot) const { return sub * slots_per_sub_ + slot; }
  SubCore& sub_core_of(unsigned warp) { return *sub_cores_[warp / slots_per_sub_]; }
  unsigned slot_of(unsigned warp) const { return warp % slots_per_sub_; }
  Recorder* recorder() { return recorder_.get(); }
  void record(const traces::TraceRequest& request) {
    recorder_ = std::make_unique<Recorder>(request, id_, config_.limits.warps_per_sm);
    pipeline_ = std::make_unique<PipelineRecorder>(config_.limits.warps_per_sm, config_.limits.blocks_per_sm,
                                                   request.fills_per_sm);
  }
  PipelineRecorder* pipeline() { return pipeline_.get(); }
  unsigned sub_cores() const { return static_cast<unsigned>(sub_cores_.size()); }
  // Counters over time, where they were asked for: interval_sampler.h.
  IntervalSampler* interval_sampler() { return intervals_.get(); }
  void sample_intervals(uint64_t cycles_each) {
    intervals_ = std::make_unique<IntervalSampler>(*this, cycles_each);
  }
  void start_intervals(Cycle now) {
    intervals_->start(now);
    pass_intervals(now);
  }
  void pass_intervals(Cycle now) { interval_end_ = intervals_->pass(now); }
  void unsettled(Cycle now, Unsettled& sums) const;
  // Warps begin and end to wait for asynchronous work.
  void wait_begins(unsigned cta_slot, Cycle now) { waiting_changes(cta_slot, +1, now); }
  void wait_ends(unsigned cta_slot, Cycle now) { waiting_changes(cta_slot, -1, now); }
  uint64_t waited(unsigned cta_slot, Cycle now) {
    waiting_changes(cta_slot, 0, now);
    return blocks_[cta_slot].waited;
  }
  // Passes of the shared-memory path that do not access it.
  void count_shared_pass(unsigned passes) {
    stats.wavefronts += passes;
    stats.wavefronts_shared += passes;
  }
  // Block barriers that end in the same few cycles share a pass, and so do block fences while one's pass is
  // under way.
  void count_barrier_pass(Cycle now) {
    if (!barrier_pass_.joins(now, kBarriersTogether)) ordering_pass(now);
  }
  void count_fence_pass(Cycle at, Cycle now) {
    if (!fence_pass_.joins(at, config_.shared.ordering_pass)) ordering_pass(now);
  }
  // A store that has been taken for one answer will get one from each line.
  void stores_answered_by(unsigned warp, unsigned grid, unsigned lines) {
    warp_slot(warp).stores = static_cast<uint16_t>(warp_slot(warp).stores + lines - 1);
    residents_[grid].stores_in_flight += lines - 1;
  }
  void write_posted(unsigned grid) { ++residents_[grid].stores_in_flight; }
  WarpSlot& warp_slot(unsigned warp) { return sub_core_of(warp).slot(slot_of(warp)); }
  Lsu& lsu() { return *lsu_; }
  AsyncUnit& async() { return *async_; }
  ConstantUnit& constants() { return constants_; }
  FenceUnit& fences() { return fences_; }
  EventQueue& events() { return events_; }
  // Counts by instruction go to the table of the host thread that runs the SM; null: they are not kept.
  InstructionCounts* counts(unsigned grid, uint32_t source) {
    return counts_[grid] == nullptr ? nullptr : &counts_[grid][source];
  }
  // L1 instruction cache: when the line of a grid's code is in L0.
  Cycle fetch_line(unsigned grid, uint64_t line, Cycle now);
  // A launch brings parameters along, other constants come from L2 at first.
  Cycle constant_line(uint64_t address, uint64_t line_base, bool parameter, Cycle now);

  // Carries out what takes effect when `op` issues and starts its memory access. True: the warp left the op's
  // straight line.
  bool carry_out(unsigned sub, unsigned slot, const OpInfo& op, Cycle now);
  // Finds the operation at the warp's program counter, carrying out what no operation stands for. False: the
  // warp waits.
  bool locate(unsigned sub, unsigned slot, Cycle now);
  void warp_retired(unsigned sub, unsigned slot, Cycle now);
  // An instruction may have released a barrier or changed an mbarrier: tells those who wait.
  Cycle tell_block(unsigned cta_slot, Cycle at, Cycle now, unsigned last = UINT32_MAX);
  void tell_all(unsigned cta_slot, Cycle at, Cycle now);  // the same for all blocks of the cluster
  void tell_cluster(unsigned cta_slot, Cycle now);        // the cluster barrier's phase has ended
  // A thread of the block has let the grids begin that depend on its own.
  void let_dependents(unsigned cta_slot, Cycle now);
  // Lets the warps of a warp's warpgroup go on that have waited at a product for the last one of them.
  void tell_warpgroup(unsigned cta_slot, uint32_t index_in_cta, Cycle now);
  double cluster_bytes() const { return noc_.cluster_bytes; }
  BlockSlot& block(unsigned slot) { return blocks_[slot]; }
  AtomicRecord& atomic(uint32_t record) { return *atomics_[record]; }
  void free_atomic(uint32_t record) { free_atomics_.push_back(record); }
  // What takes effect at the memory partition and is on its way; and that one has been answered: what has
  // waited for it is tried again.
  ptx::LateAccesses& late() { return late_; }
  void late_answered(const ptx::DeferredAtomic& access, Cycle now);
  double cycles_per_ns() const { return clock_hz_ * 1e-9; }
  unsigned remote_latency() const { return noc_.cluster_latency; }  // there and back, beyond the own path
  ClusterLink& link() { return *link_; }                            // of a kernel with clusters
  uint32_t writes_limit() const { return noc_.sm_writes; }
  unsigned far_extra() const { return noc_.far_partition_extra; }
  // A fence that asks all slices: one at a time, and fences that come meanwhile share the next. Returns when
  // the last request leaves.
  Cycle ask_slices(Cycle now) {
    const BarrierConfig& b = config_.barrier;
    if (now > asked_at_) asked_at_ = std::max(now, asked_at_ + b.fence_ask + b.fence_gpu);
    return asked_at_ + b.fence_ask;
  }
  unsigned packet_header() const { return noc_.packet_header; }
  double port_bytes() const { return noc_.sm_request_bytes; }

 private:
  void waiting_changes(unsigned cta_slot, int change, Cycle now) {
    BlockSlot& b = blocks_[cta_slot];
    if (now > b.waited_since) {
      b.waited += b.waiting * (now - b.waited_since);
      b.waited_since = now;
    }
    b.waiting = static_cast<uint32_t>(static_cast<int>(b.waiting) + change);
  }
  void ordering_pass(Cycle now) {
    count_shared_pass(1);
    lsu_->take_ordering_pass(now);
  }
  void handle(const Event& event, Cycle now);
  void start_block(unsigned slot, Cycle now);
  void empty_caches(const GridContext& grid);
  unsigned admit(GridContext& grid);
  unsigned place_of(GridContext& grid);
  void set_counts(unsigned thread);
  void start_asynchronous(unsigned sub, unsigned slot, const OpInfo& op, Cycle now);
  void start_frame_access(unsigned sub, unsigned slot, const OpInfo& op, Cycle now);
  void count_executed(unsigned grid, const ptx::Warp& w, uint32_t pc);
  bool start_stashed(unsigned sub, unsigned slot, const OpInfo& op, Cycle now);
  MemoryOp& reserve_op(unsigned sub, unsigned slot, const OpInfo& op, int32_t record);
  void count_store(const MemoryOp& m);
  void start_access(unsigned sub, unsigned slot, const OpInfo& op, const ptx::MemoryAccess* access,
                    int32_t record, Cycle now);
  void fill_memory_op(MemoryOp& m, const OpInfo& op, const ptx::MemoryAccess& access, unsigned warp,
                      Cycle now);
  void fill_shared(MemoryOp& m, const OpInfo& op, const ptx::MemoryAccess& access);
  unsigned data_passes(const uint64_t* address, uint32_t lanes, unsigned lane_bytes) const;
  void fill_copy(MemoryOp& m, const ptx::MemoryAccess& access, unsigned warp, Cycle now);
  void fill_constant(MemoryOp& m, const ptx::MemoryAccess& access);
  void fill_pieces(MemoryOp& m, const ptx::MemoryAccess& access);
  void divide(ptx::MemoryAccess& access, unsigned warp, uint32_t instruction);
  void fill_lines(MemoryOp& m, const ptx::MemoryAccess& a, const uint64_t* address) const;
  void fill_global(MemoryOp& m, const ptx::MemoryAccess& access, unsigned warp, bool fenced);
  void count_access(SubCoreStats& s, const ptx::MemoryAccess& access);
  int32_t take_deferred(ptx::Warp& w, unsigned warp, const OpInfo& op);
  void time_match(MemoryOp& m, const OpInfo& op, const ptx::Warp& w) const;
  uint32_t new_atomic();
  void retry_wait(unsigned warp, Cycle now);
  void grids_ended(unsigned grid, Cycle now);
  void cluster_released(unsigned cta_slot, Cycle at, Cycle now);
  uint64_t local_address(unsigned warp, uint64_t offset, unsigned lane) const;

  struct Stashed {  // an access that was carried out before its own operation issues
    uint16_t warp;
    uint32_t source;
    int32_t record;
    ptx::MemoryAccess access;
  };

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
  unsigned id_, gpc_, slots_per_sub_;
  double clock_hz_;
  std::array<InstructionCounts*, kMostResident> counts_{};  // by resident, of the thread that runs the SM
  std::vector<ResidentGrid> residents_;
  unsigned resident_end_ = 0;  // behind the last that is taken
  uint32_t carveout_ = 0;
  uint64_t gone_instructions_ = 0;  // of grids that have left since the SM was empty
  Cycle next_ = kNever;
  EventQueue events_;
  std::vector<std::unique_ptr<SubCore>> sub_cores_;
  std::unique_ptr<Lsu> lsu_;
  std::unique_ptr<AsyncUnit> async_;
  ConstantUnit constants_;
  FenceUnit fences_;
  std::unique_ptr<ClusterLink> link_;
  std::vector<BlockSlot> blocks_;
  unsigned busy_slots_ = 0, next_sub_ = 0, warps_resident_ = 0;
  Cycle active_since_ = 0, warps_since_ = 0;
  Cycle barrier_free_ = 0, l1i_free_ = 0;
  TagArray l1i_, constant_l1_;
  unsigned rank_in_gpc_ = 0;
  std::vector<std::unique_ptr<AtomicRecord>> atomics_;
  std::vector<uint32_t> free_atomics_;
  std::vector<uint32_t> scratch_record_;  // by warp: where its next atomic is captured
  ptx::MemoryAccess machine_access_;      // one that the machine makes other than the program has it
  std::vector<Stashed> stash_;
  ptx::LateAccesses late_;
  Cycle asked_at_ = 0;                  // when the latest fence that asks all slices begins
  std::unique_ptr<Recorder> recorder_;  // null: nothing is traced here
  std::unique_ptr<PipelineRecorder> pipeline_;
  std::unique_ptr<IntervalSampler> intervals_;
  Cycle interval_end_ = kNever;
  // H200 (probes/passes): 1 to 14 % of the barriers of two to four blocks that never wait for each other;
  // estimated: what a coincidence in so many cycles gives.
  static constexpr Cycle kBarriersTogether = 2;
  OrderingPass barrier_pass_, fence_pass_;
  Arrivals arrivals_;
};

}  // namespace gpuloom::arch
