// SPDX-License-Identifier: Apache-2.0
// When a warp goes on behind what it has issued: barriers, sleep, fences, copies, matrix groups, branches.
#include <algorithm>
#include <bit>

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

void SubCore::after_barrier(unsigned s, Cycle stalled, Cycle now) {
  WarpSlot& w = slots_[s];
  const ptx::Warp& warp = *w.warp;
  const bool waits = warp.wait == ptx::Wait::kBarrier;
  Cycle release = now + config_.barrier.latency;
  const bool released = ports_.blocks.barrier_reached(w, waits, release, now);
  if (waits) block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
  if (released) {
    const unsigned last = warp.wait == ptx::Wait::kNone ? w.number : UINT32_MAX;
    release = ports_.blocks.release_barrier(w.cta, release, now, last);
  }
  if (warp.wait == ptx::Wait::kNone)
    arm(s, released ? std::max(release, stalled) : stalled, released ? Stall::kBarrier : Stall::kWait, now);
}

void SubCore::after_cluster_barrier(unsigned s, Cycle stalled, Cycle now) {
  WarpSlot& w = slots_[s];
  const ptx::Warp& warp = *w.warp;
  if (warp.wait == ptx::Wait::kClusterBarrier) block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
  const Cycle release = ports_.blocks.cluster_barrier_reached(w.cta, now);
  if (warp.wait == ptx::Wait::kNone) arm(s, std::max(stalled, release), Stall::kBarrier, now);
}

// A warp whose lanes all wait, sleep or have exited.
void SubCore::after_stop(unsigned s, const OpInfo& op, Cycle now) {
  WarpSlot& w = slots_[s];
  const ptx::Warp& warp = *w.warp;
  if (warp.wait == ptx::Wait::kDone) {
    retire(s, now + 1);
  } else if (warp.wait == ptx::Wait::kSleep) {
    const auto sleep = static_cast<Cycle>(static_cast<double>(warp.sleep_ns) * cycles_per_ns_);
    block(s, WarpMode::kBlocked, Stall::kSleeping, now + 1);
    ports_.events.push(now + std::max<Cycle>(op.latency, sleep),
                       {EventKind::kWakeWarp, w.generation, w.number, 0});
  } else {
    block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
  }
}

void SubCore::after_fence(unsigned s, const OpInfo& op, Cycle stalled, Cycle now) {
  WarpSlot& w = slots_[s];
  ports_.late.fenced(*w.warp);
  // A proxy fence's latency is what a barrier behind it waits for, by its scoreboard.
  Cycle until = op.op == ptx::OpClass::fence_async ? stalled : std::max(stalled, now + op.latency);
  if (op.op == ptx::OpClass::membar && op.fence_scope < ptx::Scope::kCluster) {
    // Behind what its sub-core has in the memory queue (H200: a store and a fence 14 cycles, a fence alone 9:
    // probes/sm). Those of proxies and beyond the block share no pass.
    const Cycle begins = ports_.queues.drained(index_, now);
    ports_.memory.fence_pass(begins, now);
    until = std::max(until, begins + op.latency);
    ports_.queues.hold(index_, begins + config_.barrier.fence_hold);
  } else {
    ports_.stats.shared_pass(op.wavefronts);
  }
  if (op.record != nullptr && op.record->acquires_map) {
    ports_.copies.forget_maps();
    until = std::max(until, now + config_.tma.map_acquire);
  }
  if (op.fence_scope < ptx::Scope::kCluster) return arm(s, until, Stall::kMembar, now);
  ports_.memory.fence();
  until = ports_.fences.begin(w.number, op.fence_scope, until, now);
  if (until == kNever)
    block(s, WarpMode::kFence, Stall::kMembar, now + 1);
  else
    arm(s, until, Stall::kMembar, now);
}

// griddepcontrol.wait: until the grids that its own depends on have ended and what they wrote can be seen.
bool SubCore::waits_for_grids(unsigned s, const OpInfo& op, Cycle now) {
  const Cycle until = ports_.grids[slots_[s].grid].grid->depended_until;
  if (until == kNever)
    block(s, WarpMode::kGrids, Stall::kMembar, now + 1);
  else if (until > now + op.stall)
    arm(s, until, Stall::kMembar, now);
  return until > now + op.stall;
}

void SubCore::product_begins(unsigned s, Cycle now) {
  const OpInfo& op = *slots_[s].next;
  begin_operation(s, op, now);
  if (slots_[s].warp->index_in_cta % ptx::kWarpgroupWarps == 0) ports_.stats.shared_pass(op.wavefronts);
  if (locate(s, now)) arm(s, now + op.stall, Stall::kGmma, now);
}

// When the warp may issue again.
void SubCore::after_issue(unsigned s, const OpInfo& op, const Flow& before, Cycle now) {
  WarpSlot& w = slots_[s];
  const Cycle stalled = now + op.stall;
  if (op.action == Action::kBarrier) return after_barrier(s, stalled, now);
  if (op.action == Action::kClusterBarrier) return after_cluster_barrier(s, stalled, now);
  if (op.action == Action::kMbarrier || op.action == Action::kExit || op.action == Action::kBulk)
    ports_.blocks.barriers_changed(w.cta, now + op.latency, now);
  if (w.warp->wait != ptx::Wait::kNone) return after_stop(s, op, now);
  switch (op.action) {
    case Action::kFence:
      return after_fence(s, op, stalled, now);
    case Action::kCopyWait:
    case Action::kBulkCommit:
      if (!ports_.copies.wait_done(w.number))
        return block(s, WarpMode::kCopies, Stall::kLongScoreboard, now + 1);
      break;
    case Action::kMatrix:
      if (w.warp->index_in_cta % ptx::kWarpgroupWarps == 0) ports_.stats.shared_pass(op.wavefronts);
      ports_.blocks.warpgroup_meets(w.cta, w.warp->index_in_cta, now);
      break;
    case Action::kMatrixCommit:
      w.matrix.commit();
      break;
    case Action::kMatrixWait:
      if (const Cycle done = w.matrix.done(op.record->matrix_groups); done > stalled)
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
