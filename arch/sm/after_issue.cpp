// SPDX-License-Identifier: Apache-2.0
// When a warp goes on behind what it has issued: barriers, sleep, fences, copies, matrix groups, branches.
#include <algorithm>
#include <bit>

#include "arch/sm/sm.h"
#include "arch/sm/sub_core.h"
#include "ptx/exec/matrix/warpgroup_meeting.h"

namespace gpuloom::arch {

// Lanes of one mask after another.
unsigned SubCore::sync_time(const ptx::Warp& w, const OpInfo& op) const {
  const BranchConfig& b = config_.branch;
  if (op.record->splits) return b.split;
  const uint32_t* masks = ptx::source<uint32_t>(w, op.record->mask);
  unsigned further = 0;
  for (uint32_t left = w.lanes; left != 0;) {
    const uint32_t mask = masks[std::countr_zero(left)];
    uint32_t same = 0;
    for (uint32_t m = left; m != 0; m &= m - 1)
      if (masks[std::countr_zero(m)] == mask) same |= m & -m;
    left &= ~same;
    if (left != 0) ++further;
  }
  return b.sync + further * b.sync_mask;
}

// Cycles that a branch, call, return or convergence takes (H200: probes/sm, Diverge, Call, Indirect).
unsigned SubCore::branch_time(const WarpSlot& w, const OpInfo& op, const Flow& before) const {
  const BranchConfig& b = config_.branch;
  if (op.op == ptx::OpClass::bsync) {
    const ptx::Warp& warp = *w.warp;
    if (warp.simt.sets.size() >= before.sets) return b.converge;
    const bool turn = warp.pc != 0 && w.kernel->instructions[warp.pc - 1].splits;
    return b.converge + b.other_lanes + (turn ? b.split_turn : 0);
  }
  if (op.through_register) {  // each different target takes its turn
    const size_t sets = w.warp->simt.sets.size();
    return b.through_register * static_cast<unsigned>(1 + (sets > before.sets ? sets - before.sets : 0));
  }
  if (!before.jumps) return b.not_taken;
  return b.taken + (op.loop_back != 0 ? config_.tma.turn : 0);
}

// Beyond the block it is a round trip of its own, longer where the warp has written since its last fence, by
// the way to L2's other side where it has done so there, and ends some time after the answers to what it
// wrote (H200: 263 alone, 386 for st.release, of which each waits for the one before; 492 behind a store to a
// line of either side of L2; 390 to 417 behind an atomic on the near side, 517 to 585 on the far one).
void SubCore::begin_fence(WarpSlot& w, ptx::Scope scope, Cycle now) const {
  const BarrierConfig& b = config_.barrier;
  const uint32_t wider = scope == ptx::Scope::kSys ? b.fence_sys - std::min(b.fence_gpu, b.fence_sys) : 0;
  const Cycle begins = b.fence_ask == 0 ? now : sm_.ask_slices(now);
  w.fence_until = std::max(w.fence_until, begins + wider + (w.wrote ? b.fence_written : b.fence_gpu) +
                                              (w.wrote_far ? sm_.far_extra() : 0));
  w.fence_time = wider + b.fence_drain;
  w.wrote = w.wrote_far = false;
}

void SubCore::after_barrier(unsigned s, Cycle stalled, Cycle now) {
  WarpSlot& w = slots_[s];
  BlockSlot& block_slot = sm_.block(w.cta);
  const ptx::Warp& warp = *w.warp;
  Cycle release = now + config_.barrier.latency;
  const bool released = block_slot.cta->phase_changes != block_slot.phase_changes;
  if (Recorder* r = sm_.recorder()) {
    const Cycle since = std::min(block_slot.barrier_since, now);
    block_slot.barrier_since = released ? kNever : since;
    if (released) r->span(traces::RecordKind::kBarrier, w.cta, since, release, 0, 0);
  }
  if (warp.wait == ptx::Wait::kBarrier) {
    block_slot.arrived.push_back(static_cast<uint16_t>(sm_.warp_number(index_, s)));
    block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
  }
  if (released) {
    const unsigned last = warp.wait == ptx::Wait::kNone ? sm_.warp_number(index_, s) : UINT32_MAX;
    release = sm_.tell_block(w.cta, release, now, last);
  }
  if (warp.wait == ptx::Wait::kNone)
    arm(s, released ? std::max(release, stalled) : stalled, released ? Stall::kBarrier : Stall::kWait, now);
}

void SubCore::after_cluster_barrier(unsigned s, Cycle stalled, Cycle now) {
  WarpSlot& w = slots_[s];
  BlockSlot& block_slot = sm_.block(w.cta);
  const ptx::Warp& warp = *w.warp;
  if (warp.wait == ptx::Wait::kClusterBarrier) block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
  if (block_slot.cta->cluster->phase != block_slot.cluster_phase) sm_.tell_cluster(w.cta, now);
  if (warp.wait == ptx::Wait::kNone)
    arm(s, std::max(stalled, block_slot.cluster_release), Stall::kBarrier, now);
}

// A warp whose lanes all wait, sleep or have exited.
void SubCore::after_stop(unsigned s, const OpInfo& op, Cycle now) {
  WarpSlot& w = slots_[s];
  const ptx::Warp& warp = *w.warp;
  if (warp.wait == ptx::Wait::kDone) {
    retire(s, now + 1);
  } else if (warp.wait == ptx::Wait::kSleep) {
    const auto sleep = static_cast<Cycle>(static_cast<double>(warp.sleep_ns) * sm_.cycles_per_ns());
    block(s, WarpMode::kBlocked, Stall::kSleeping, now + 1);
    sm_.events().push(
        now + std::max<Cycle>(op.latency, sleep),
        {EventKind::kWakeWarp, w.generation, static_cast<uint16_t>(sm_.warp_number(index_, s)), 0});
  } else {
    block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
  }
}

void SubCore::after_fence(unsigned s, const OpInfo& op, Cycle stalled, Cycle now) {
  WarpSlot& w = slots_[s];
  sm_.late().fenced(*w.warp);
  // A proxy fence's latency is what a barrier behind it waits for, by its scoreboard.
  w.fence_until = op.op == ptx::OpClass::fence_async ? stalled : std::max(stalled, now + op.latency);
  if (op.op == ptx::OpClass::membar && op.fence_scope < ptx::Scope::kCluster) {
    // Behind what its sub-core has in the memory queue (H200: a store and a fence 14 cycles, a fence alone 9:
    // probes/sm). Those of proxies and beyond the block share no pass.
    const Cycle begins = sm_.lsu().drained(index_, now);
    sm_.count_fence_pass(begins, now);
    w.fence_until = std::max(w.fence_until, begins + op.latency);
    sm_.lsu().hold_queue(index_, begins + config_.barrier.fence_hold);
  } else {
    sm_.count_shared_pass(op.wavefronts);
  }
  if (op.fence_scope < ptx::Scope::kCluster) {
    arm(s, w.fence_until, Stall::kMembar, now);
    return;
  }
  w.fence_scope = op.fence_scope;
  sm_.lsu().flush_writes(now);
  sm_.lsu().forget_l1();  // what others wrote before the fence has to be seen (SASS: CCTL.IVALL)
  w.fenced_writes = w.stores != 0;
  w.fence_waits =
      w.fenced_writes && !sm_.fences().begin(static_cast<uint16_t>(sm_.warp_number(index_, s)), now);
  if (!w.fence_waits) begin_fence(w, w.fence_scope, sm_.fences().turn(now));
  if (w.fenced_writes)
    block(s, WarpMode::kFence, Stall::kMembar, now + 1);
  else
    arm(s, w.fence_until, Stall::kMembar, now);
}

// Other warps' fences are done. What the warp wrote has been answered since, or is waited for as ever.
void SubCore::fence_goes_on(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  w.fence_waits = w.wrote = w.wrote_far = false;
  begin_fence(w, w.fence_scope, sm_.fences().turn(now));
  if (w.stores == 0) end_fence(s, w.fence_until, now);
}

void SubCore::end_fence(unsigned s, Cycle at, Cycle now) {
  if (slots_[s].fenced_writes) sm_.fences().ends(at);
  arm(s, at, Stall::kMembar, now);
}

// griddepcontrol.wait: until the grids that its own depends on have ended and what they wrote can be seen.
bool SubCore::waits_for_grids(unsigned s, const OpInfo& op, Cycle now) {
  const Cycle until = sm_.grid(slots_[s].grid).depended_until;
  if (until == kNever)
    block(s, WarpMode::kGrids, Stall::kMembar, now + 1);
  else if (until > now + op.stall)
    arm(s, until, Stall::kMembar, now);
  return until > now + op.stall;
}

// Whether so many of the warp's copy groups are done as its wait asks for.
bool SubCore::copies_done(unsigned s) const {
  const WarpSlot& w = slots_[s];
  const unsigned warp = sm_.warp_number(index_, s);
  return w.wait_bulk ? sm_.async().bulk_done(warp, w.wait_groups, w.wait_read)
                     : sm_.async().groups_done(warp, w.wait_groups, w.wait_groups == UINT32_MAX);
}

// Groups end in order: the newest that must be done says when.
Cycle SubCore::matrix_groups_done(const WarpSlot& w, const OpInfo& op) {
  const unsigned left = op.record->matrix_groups;
  if (left >= w.matrix_groups.size() || left >= w.matrix_commits) return 0;
  return w.matrix_groups[(w.matrix_commits - 1 - left) % w.matrix_groups.size()];
}

void SubCore::product_begins(unsigned s, Cycle now) {
  const OpInfo& op = *slots_[s].next;
  begin_operation(s, op, now);
  if (slots_[s].warp->index_in_cta % ptx::kWarpgroupWarps == 0) sm_.count_shared_pass(op.wavefronts);
  if (sm_.locate(index_, s, now)) arm(s, now + op.stall, Stall::kGmma, now);
}

// When the warp may issue again.
void SubCore::after_issue(unsigned s, const OpInfo& op, const Flow& before, Cycle now) {
  WarpSlot& w = slots_[s];
  const Cycle stalled = now + op.stall;
  if (op.action == Action::kBarrier) return after_barrier(s, stalled, now);
  if (op.action == Action::kClusterBarrier) return after_cluster_barrier(s, stalled, now);
  if (op.action == Action::kMbarrier || op.action == Action::kExit || op.action == Action::kBulk)
    sm_.tell_all(w.cta, now + op.latency, now);
  if (w.warp->wait != ptx::Wait::kNone) return after_stop(s, op, now);
  switch (op.action) {
    case Action::kFence:
      return after_fence(s, op, stalled, now);
    case Action::kCopyWait:
    case Action::kBulkCommit:
      if (w.wait_groups != UINT32_MAX - 1 && !copies_done(s))
        return block(s, WarpMode::kCopies, Stall::kLongScoreboard, now + 1);
      break;
    case Action::kMatrix:
      if (w.warp->index_in_cta % ptx::kWarpgroupWarps == 0) sm_.count_shared_pass(op.wavefronts);
      sm_.tell_warpgroup(w.cta, w.warp->index_in_cta, now);
      break;
    case Action::kMatrixCommit:
      w.matrix_groups[w.matrix_commits++ % w.matrix_groups.size()] = w.matrix_done;
      break;
    case Action::kMatrixWait:
      if (const Cycle done = matrix_groups_done(w, op); done > stalled)
        return arm(s, done, Stall::kGmma, now);
      break;
    case Action::kBranch:
      // Its stall count is a wait as any other's (H200, rate_ffma: branch_resolving 0.05 an instruction,
      // where seven turns of 66 take nine cycles each, five of them by the stall count).
      account(w, stalled);
      return arm(s, std::max(stalled, now + branch_time(w, op, before)), Stall::kBranchResolving, now);
    case Action::kWarpSync:
      account(w, stalled);
      return arm(s, std::max(stalled, now + sync_time(*w.warp, op)), Stall::kBranchResolving, now);
    default:
      break;
  }
  arm(s, stalled, Stall::kWait, now);
}

}  // namespace gpuloom::arch
