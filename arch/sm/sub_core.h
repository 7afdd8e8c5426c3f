// SPDX-License-Identifier: Apache-2.0
// One of an SM's processing blocks: warp slots, fetch, dependence check, scheduler, issue, and the arithmetic
// pipes.
//
// A warp is in one of few modes; everything that ends a mode is an event or a cycle that is known when the
// mode begins. So a cycle costs the warps that change mode, not all warps, and a sub-core in which nothing
// happens is not ticked at all.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/policy/interface.h"
#include "arch/sm/code_caches.h"
#include "arch/sm/copy_groups.h"
#include "arch/sm/event_queue.h"
#include "arch/sm/fence_unit.h"
#include "arch/sm/fenced_memory.h"
#include "arch/sm/grid_context.h"
#include "arch/sm/interval_sampler.h"
#include "arch/sm/kernel_context.h"
#include "arch/sm/matrix_groups.h"
#include "arch/sm/memory_queues.h"
#include "arch/sm/ready_warps.h"
#include "arch/sm/recorders.h"
#include "arch/sm/stats.h"
#include "arch/sm/tag_array.h"
#include "arch/sm/warp_function.h"
#include "arch/sm/warp_writes.h"
#include "arch/stall_reason.h"
#include "ptx/exec/late_accesses.h"
#include "ptx/exec/warp.h"

namespace gpuloom::arch {

enum class WarpMode : uint8_t {
  kEmpty,
  kTimed,       // until a cycle that is known: then the dependence check
  kScoreboard,  // until scoreboards are zero
  kReady,       // can issue as soon as its pipe is free and the scheduler picks it
  kBlocked,     // until somebody calls resume(): barriers, sleep, suspended waits
  kFence,       // until its earlier accesses are done
  kCopies,      // until enough asynchronous copy groups are done
  kGrids,       // until the grids that its own depends on have ended
  kDrain,       // exited; its stores are on their way
};

// A warp as the sub-core's scheduler sees it.
struct WarpSlot : WarpPosition {
  WarpMode mode = WarpMode::kEmpty;
  Stall state = Stall::kSelected;
  uint8_t generation = 0;                 // events of an earlier wait are stale
  uint8_t pending = 0, long_pending = 0;  // scoreboards that are not zero; of those, long ones
  uint8_t scoreboard[6] = {};
  bool replay = false;                        // a suspended instruction is tried again
  bool awaits = false;                        // waits for copies or an mbarrier
  bool turning = false;                       // in a further turn of a bulk copy's loop over its lanes
  Cycle since = 0;                            // accounted up to here
  uint64_t mark_pipe = 0, mark_dispatch = 0;  // throttled cycles when it became ready
  uint64_t fetch_line = UINT64_MAX;
  uint64_t line_base = 0;  // of its grid: GridContext
  Cycle launched = 0, awaits_since = 0;
  MatrixGroups matrix;
};

// Of a warp, where a switch of `ideal` is on.
struct IdealSlot {
  uint8_t late_results = 0;  // scoreboards whose results function itself waits for (atomics)
  // What barriers have taken of its time and it may have back, and the scoreboards that it has passed on that
  // account, since when.
  Cycle credit = 0, passed_since = 0;
  uint8_t passed = 0;
  uint8_t part = 0;       // of a turn, in 32nds, that parts of the warp have not paid yet
  bool accessed = false;  // it has come to its first access to memory, or to a barrier
};

// What a sub-core tells, and asks, the blocks whose warps it runs.
class WarpBlocks {
 public:
  virtual ~WarpBlocks() = default;
  // The warp has come to its block's barrier; `waits`: for others. True: the barrier's phase has ended, and
  // ends at `release` for those who wait.
  virtual bool barrier_reached(const WarpPosition& w, bool waits, Cycle release, Cycle now) = 0;
  // Those who have waited go on one after another; returns when `last`, which completed the barrier, may.
  virtual Cycle release_barrier(unsigned cta, Cycle at, Cycle now, unsigned last) = 0;
  // The same of the cluster's barrier; returns when its last phase ended.
  virtual Cycle cluster_barrier_reached(unsigned cta, Cycle now) = 0;
  // Barriers of the block, or of others of its cluster, may have been completed: who waits there goes on at
  // `at`.
  virtual void barriers_changed(unsigned cta, Cycle at, Cycle now) = 0;
  // Warps of the warpgroup that have waited at a product for the last one of them go on.
  virtual void warpgroup_meets(unsigned cta, uint32_t index_in_cta, Cycle now) = 0;
  // A thread of the block has let the grids begin that depend on its own.
  virtual void let_dependents(unsigned cta, Cycle now) = 0;
  // The warp begins and ends to wait for asynchronous work.
  virtual void wait_begins(unsigned cta, Cycle now) = 0;
  virtual void wait_ends(unsigned cta, Cycle now) = 0;
  virtual void warp_retired(const WarpPosition& w, Cycle now) = 0;
};

// What a sub-core may ask of the rest of the SM.
struct SubCorePorts {
  EventQueue& events;
  SmStats& stats;
  const CountTables& counts;
  std::vector<ResidentGrid>& grids;
  const WarpWritesTable& writes;
  ptx::LateAccesses& late;
  Recorders& recorders;
  InstructionL1& code;
  ConstantL1& constants;
  MemoryQueues& queues;
  FencedMemory& memory;
  FenceUnit& fences;
  CopyGroups& copies;
  WarpFunction& function;
  WarpBlocks& blocks;
};

struct SubCorePlace {
  unsigned sm = 0, index = 0;
  double cycles_per_ns = 1;
};

class SubCore final : private policy::SubCoreView {
 public:
  SubCore(const SmConfig& config, const SubCorePlace& place, const SubCorePorts& ports);
  void start_kernel();

  // --- Warps
  unsigned free_slots() const { return capacity_ - resident_; }
  unsigned launch(ptx::Warp* warp, unsigned cta, unsigned grid, Cycle now);  // returns the slot
  WarpSlot& slot(unsigned s) { return slots_[s]; }
  const WarpSlot& slot(unsigned s) const { return slots_[s]; }
  unsigned capacity() const { return capacity_; }

  // --- What happens to warps from outside
  void release(unsigned slot, unsigned scoreboard, Cycle now);
  void resume(unsigned slot, Cycle now);  // a kBlocked warp goes on with wherever its lanes are
  void wake_timed(unsigned slot, unsigned generation, Cycle now);
  // Finds the operation at its program counter. False: there is none, and its mode says what it waits for.
  bool locate(unsigned slot, Cycle now);
  void stores_answered(unsigned slot, Cycle now);  // all of them
  void stores_sent(unsigned slot, Cycle now);      // all that it must outlive
  void fence_over(unsigned slot, Cycle at, Cycle now);
  void copies_changed(unsigned slot, Cycle now);
  void product_begins(unsigned slot, Cycle now);  // the rest of its warpgroup has come to the wgmma
  void block(unsigned slot, WarpMode mode, Stall reason, Cycle now);
  void arm(unsigned slot, Cycle at, Stall reason, Cycle now);  // dependence check at `at`
  void queue_freed(Cycle now);
  void give_back(unsigned slot, Cycle now);  // ideal.barriers: what it has waited for up to now

  // --- Time
  void tick(Cycle now);
  Cycle next() const { return next_; }

  void settle_accounts(Cycle now);                   // brings all counters up to `now`
  void unsettled(Cycle now, Unsettled& sums) const;  // what that would add
  SubCoreStats stats;

  // --- For what tells the scheduler of events: whether it has asked for them (policy::kIssues, ...).
  bool hears(uint32_t events) const { return (events_ & events) != 0; }
  policy::Scheduler& policy() { return *scheduler_; }

 private:
  policy::Instruction instruction(unsigned slot) const override;
  void tell_wait(const WarpSlot& w, Stall reason, Cycle now);
  static unsigned waits_for(const WarpSlot& w);
  void check(unsigned slot, Cycle now);
  // --- ideal (sub_core_ideal.cpp)
  unsigned ideal_waits(unsigned slot, unsigned waits, Cycle now);
  void scoreboard_clear(unsigned slot, unsigned scoreboard, Cycle now);
  void take_late_results(unsigned slot);
  Cycle sooner(unsigned slot, Cycle at, Cycle now);
  bool free_part(unsigned slot, const OpInfo& op);
  bool apart(unsigned slot) const;
  void join_loads(WarpSlot& w) const;
  void issue_ideal(unsigned slot, Cycle now);
  bool fetched(WarpSlot& w, unsigned slot, Cycle now);
  bool constant_here(WarpSlot& w, unsigned slot, Cycle now);
  void make_ready(unsigned slot, Cycle now);
  uint32_t issuable(Cycle now) const;
  template <bool kIdeal>
  void issue(unsigned slot, Cycle now);
  void begin_operation(unsigned slot, const OpInfo& op, Cycle now);
  struct Flow {
    size_t sets;  // convergence sets of the warp before the operation
    bool jumps;   // it goes on elsewhere than behind the operation
  };
  unsigned sync_time(const ptx::Warp& w, const OpInfo& op) const;
  unsigned branch_time(const WarpSlot& w, const OpInfo& op, const Flow& before) const;
  void after_issue(unsigned slot, const OpInfo& op, const Flow& before, Cycle now);
  void after_barrier(unsigned slot, Cycle stalled, Cycle now);
  void after_cluster_barrier(unsigned slot, Cycle stalled, Cycle now);
  void after_stop(unsigned slot, const OpInfo& op, Cycle now);
  bool waits_for_grids(unsigned slot, const OpInfo& op, Cycle now);
  void after_fence(unsigned slot, const OpInfo& op, Cycle stalled, Cycle now);
  template <bool kIdeal>
  void count_issue(unsigned grid, const OpInfo& op, uint32_t active, uint32_t on);
  struct Taken {
    Pipe pipe;
    Cycle begins;  // in the pipe, which may be later than the issue
  };
  Taken take_pipe(const OpInfo& op, Cycle now);
  void take_ports(unsigned slot, const OpInfo& op, Cycle now);
  void take_scoreboards(WarpSlot& w, const OpInfo& op);
  void next_op(WarpSlot& w, const OpInfo& op);
  void retire(unsigned slot, Cycle now);
  void account(WarpSlot& w, Cycle now) {
    if (now > w.since) charge(w, now);
  }
  void charge(WarpSlot& w, Cycle now);
  void account_ready(WarpSlot& w, Cycle now);
  struct ReadySplit {
    Stall reason;  // of `pipe`
    uint64_t pipe, dispatch, others;
  };
  ReadySplit split_ready(const WarpSlot& w, Cycle now) const;
  void record_state(const WarpSlot& w, Stall reason, Cycle now);
  void begin_wait(WarpSlot& w, Cycle now);
  void end_wait(WarpSlot& w, Cycle now);
  void record_wait(const WarpSlot& w, Cycle now);
  void add_stall(const WarpSlot& w, Stall reason, uint64_t cycles);
  uint64_t throttled(Pipe pipe, Cycle now) const;
  uint64_t throttled(const OpInfo& op, Cycle now) const;
  Cycle wheel_next(Cycle now) const;
  void schedule(Cycle now);
  void residency(int change, Cycle now);

  Recorder* recorder() const { return ports_.recorders.states.get(); }
  PipelineRecorder* pipeline() const { return ports_.recorders.pipeline.get(); }

  static constexpr unsigned kWheel = 64;
  const SmConfig& config_;
  SubCorePorts ports_;
  double cycles_per_ns_;
  unsigned index_, capacity_, resident_ = 0;
  Cycle next_ = kNever;
  ReadyWarps ready_;
  // When a pipe takes the next operation, and when it is done with all that wait in front of it.
  ReadyWarps::PipeTimes pipe_free_{}, pipe_done_{};
  std::array<uint64_t, kPipes>
      pipe_blocked_{};  // cycles in which the pipe took nothing, future ones of the running op included
  Cycle dispatch_free_ = 0;
  bool free_ = false, issued_ = false;  // ideal: the last issue took no time; something issued in this cycle
  uint64_t dispatch_blocked_ = 0;
  bool queue_full_ = false;
  Cycle queue_full_since_ = 0;
  uint64_t queue_full_cycles_ = 0;
  std::array<uint32_t, kWheel> wheel_{};
  uint64_t wheel_occupied_ = 0;
  std::array<Cycle, 16> bank_free_{};
  unsigned last_slot_ = 32;
  std::array<uint8_t, 4> last_src_{};
  Cycle resident_since_ = 0;
  std::vector<WarpSlot> slots_;
  std::vector<IdealSlot> ideal_slots_;  // none where no switch is on
  std::unique_ptr<policy::Scheduler> scheduler_;
  bool ideal_;       // some switch of `ideal` is on that this unit looks at
  uint32_t events_;  // that it asks for
  InstructionL0 l0_;
  TagArray constant_;
};

}  // namespace gpuloom::arch
