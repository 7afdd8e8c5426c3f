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
#include "arch/sm/interval_sampler.h"
#include "arch/sm/kernel_context.h"
#include "arch/sm/stats.h"
#include "arch/sm/tag_array.h"
#include "arch/stall_reason.h"
#include "ptx/exec/warp.h"

namespace gpuloom::arch {

class Sm;

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

struct WarpSlot {
  ptx::Warp* warp = nullptr;
  const KernelContext* kernel = nullptr;  // that it runs
  const OpInfo* next = nullptr;           // to issue
  uint32_t op = 0;                        // its index
  WarpMode mode = WarpMode::kEmpty;
  Stall state = Stall::kSelected;
  uint8_t cta = 0;                        // slot of its block in the SM
  uint8_t grid = 0;                       // of those in the SM
  uint8_t generation = 0;                 // events of an earlier wait are stale
  uint8_t pending = 0, long_pending = 0;  // scoreboards that are not zero; of those, long ones
  uint8_t scoreboard[6] = {};
  Pipe wants = Pipe::kNone;  // kReady: of `next`
  bool replay = false;       // a suspended instruction is tried again
  bool awaits = false;       // waits for copies or an mbarrier
  uint16_t stores =
      0;  // stores and atomics on their way, of earlier warps of this slot too: fences wait for them
  uint16_t unsent = 0;  // of those, what the warp itself must outlive: what is in the queue, atomics whose
                        // result is not here
  Cycle sent_at = 0;    // its last store leaves the SM then: a warp that has exited goes then
  uint16_t copies = 0;  // asynchronous copies on their way
  uint32_t wait_groups = 0;                                 // kCopies: groups that may still be on their way
  uint32_t resume_pc = UINT32_MAX, resume_op = UINT32_MAX;  // where its straight line goes on
  bool wait_bulk = false, wait_read = false;
  Cycle since = 0;                            // accounted up to here
  uint64_t mark_pipe = 0, mark_dispatch = 0;  // throttled cycles when it became ready
  uint64_t fetch_line = UINT64_MAX;
  uint64_t line_base = 0;  // of its grid: GridContext
  Cycle launched = 0, fence_until = 0, awaits_since = 0;
  uint32_t fence_time = 0;  // of the running fence, after the last answer that it waits for
  ptx::Scope fence_scope = ptx::Scope::kNone;
  bool fenced_writes = false, fence_waits = false;  // its fence found writes on their way; waits for others'
  bool wrote = false, wrote_far = false;    // beyond the block, to L2's other side, since its last fence
  Cycle matrix_done = 0, matrix_next = 0;   // its last wgmma; when the next may issue
  std::array<Cycle, 8> matrix_groups = {};  // committed groups, a ring: when each is done
  uint32_t matrix_commits = 0;
  bool turning = false;  // in a further turn of a bulk copy's loop over its lanes
};

// Of a warp, where a switch of `ideal` is on.
struct IdealSlot {
  uint8_t late_results = 0;  // scoreboards whose results function itself waits for (atomics)
  // What barriers have taken of its time and it may have back, and the scoreboards that it has passed on that
  // account, since when.
  Cycle credit = 0, passed_since = 0;
  uint8_t passed = 0;
  uint8_t part = 0;  // of a turn, in 32nds, that parts of the warp have not paid yet
};

class SubCore : private policy::SubCoreView {
 public:
  SubCore(Sm& sm, const SmConfig& config, unsigned index);
  void start_kernel();

  // --- Warps
  unsigned free_slots() const { return capacity_ - resident_; }
  unsigned launch(ptx::Warp* warp, unsigned cta, Cycle now);  // returns the slot
  WarpSlot& slot(unsigned s) { return slots_[s]; }
  const WarpSlot& slot(unsigned s) const { return slots_[s]; }
  unsigned capacity() const { return capacity_; }

  // --- What happens to warps from outside
  void release(unsigned slot, unsigned scoreboard, Cycle now);
  void resume(unsigned slot, Cycle now);  // a kBlocked warp goes on with wherever its lanes are
  void wake_timed(unsigned slot, unsigned generation, Cycle now);
  void store_done(unsigned slot, Cycle now);
  void fence_goes_on(unsigned slot, Cycle now);  // it has waited for other warps' fences
  void store_sent(unsigned slot, Cycle at,
                  Cycle now);  // a store of the warp has its place on the port at `at`
  void copies_changed(unsigned slot, Cycle now);
  void product_begins(unsigned slot, Cycle now);  // the rest of its warpgroup has come to the wgmma
  void block(unsigned slot, WarpMode mode, Stall reason, Cycle now);
  void arm(unsigned slot, Cycle at, Stall reason, Cycle now);  // dependence check at `at`
  void queue_freed(Cycle now);
  void late_result(unsigned slot, unsigned scoreboard);  // of an atomic, at its issue
  void give_back(unsigned slot, Cycle now);              // ideal.barriers: what it has waited for up to now

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
  Cycle sooner(unsigned slot, Cycle at, Cycle now);
  bool free_part(unsigned slot, const OpInfo& op);
  void issue_ideal(unsigned slot, Cycle now);
  bool fetched(WarpSlot& w, unsigned slot, Cycle now);
  Cycle fetch_to_l0(const WarpSlot& w, uint64_t line, Cycle now);
  bool constant_here(WarpSlot& w, unsigned slot, Cycle now);
  void make_ready(unsigned slot, Cycle now);
  void unready(unsigned slot);
  uint32_t issuable(Cycle now);
  template <bool kIdeal>
  void issue(unsigned slot, Cycle now);
  void begin_operation(unsigned slot, const OpInfo& op, Cycle now);
  struct Flow {
    size_t sets;  // convergence sets of the warp before the operation
    bool jumps;   // it goes on elsewhere than behind the operation
  };
  unsigned sync_time(const ptx::Warp& w, const OpInfo& op) const;
  unsigned branch_time(const WarpSlot& w, const OpInfo& op, const Flow& before) const;
  void begin_fence(WarpSlot& w, ptx::Scope scope, Cycle now) const;
  void end_fence(unsigned slot, Cycle at, Cycle now);
  void after_issue(unsigned slot, const OpInfo& op, const Flow& before, Cycle now);
  void after_barrier(unsigned slot, Cycle stalled, Cycle now);
  void after_cluster_barrier(unsigned slot, Cycle stalled, Cycle now);
  void after_stop(unsigned slot, const OpInfo& op, Cycle now);
  bool waits_for_grids(unsigned slot, const OpInfo& op, Cycle now);
  void after_fence(unsigned slot, const OpInfo& op, Cycle stalled, Cycle now);
  bool copies_done(unsigned slot) const;
  static Cycle matrix_groups_done(const WarpSlot& w, const OpInfo& op);
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
  void account(WarpSlot& w, Cycle now);
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

  static constexpr unsigned kWheel = 64;
  Sm& sm_;
  const SmConfig& config_;
  unsigned index_, capacity_, resident_ = 0;
  Cycle next_ = kNever;
  uint32_t ready_ = 0;
  std::array<uint32_t, kPipes> wants_{};  // ready warps by pipe
  uint32_t wanted_ = 0;                   // pipes that some want, a bit each
  // When a pipe takes the next operation, and when it is done with all that wait in front of it.
  std::array<Cycle, kPipes> pipe_free_{}, pipe_done_{};
  std::array<uint64_t, kPipes>
      pipe_blocked_{};  // cycles in which the pipe took nothing, future ones of the running op included
  Cycle dispatch_free_ = 0, fetch_free_ = 0;
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
  TagArray l0_, constant_;
};

}  // namespace gpuloom::arch
