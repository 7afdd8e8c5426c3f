// SPDX-License-Identifier: Apache-2.0
// The issue stage of a sub-core: what an operation takes when it issues, and when its warp goes on.
#include <algorithm>
#include <bit>

#include "arch/sm/sm.h"
#include "arch/sm/sub_core.h"

namespace gpuloom::arch {
namespace {

PipeCounter counter_of(Pipe pipe) {
  switch (pipe) {
    case Pipe::kAlu:
      return PipeCounter::kAlu;
    case Pipe::kFmaHeavy:
      return PipeCounter::kFmaHeavy;
    case Pipe::kFmaLite:
      return PipeCounter::kFma;
    case Pipe::kHalf:
      return PipeCounter::kFp16;
    case Pipe::kFp64:
      return PipeCounter::kFp64;
    case Pipe::kXu:
      return PipeCounter::kXu;
    case Pipe::kTensor:
      return PipeCounter::kTensor;
    case Pipe::kUniform:
      return PipeCounter::kUniform;
    case Pipe::kBranch:
      return PipeCounter::kCbu;
    case Pipe::kLsu:
      return PipeCounter::kLsu;
    case Pipe::kAdu:
      return PipeCounter::kAdu;
    case Pipe::kTex:
      return PipeCounter::kTex;
    default:
      return PipeCounter::kCount;
  }
}

// Lanes of the warp whose guard is on.
uint32_t lanes_on(const ptx::Warp& w, const OpInfo& op) {
  if (!op.guarded) return w.lanes;
  const ptx::Instr& in = w.code[op.source];
  if (!in.guard.present()) return w.lanes;
  const uint32_t p = ptx::predicate(w, in.guard);
  return w.lanes & (in.guard_negated ? ~p : p);
}

}  // namespace

SubCore::Taken SubCore::take_pipe(const OpInfo& op, Cycle now) {
  Pipe pipe = op.pipe;
  if (config_.pipes[static_cast<size_t>(pipe)].shared)
    return {pipe, now};  // the shared unit keeps its own time
  if (pipe_free_[static_cast<size_t>(pipe)] > now && op.also != Pipe::kNone) pipe = op.also;
  const size_t p = static_cast<size_t>(pipe);
  const Cycle begins = std::max(now, pipe_done_[p]);
  pipe_done_[p] = begins + op.interval;
  const Cycle queue = Cycle{config_.pipes[p].queue} * op.interval;
  pipe_free_[p] = std::max(now + 1, pipe_done_[p] - std::min(queue, pipe_done_[p]));
  pipe_blocked_[p] += pipe_free_[p] - now - 1;
  if (op.holds != Pipe::kNone) {
    const size_t other = static_cast<size_t>(op.holds);
    const Cycle from = std::max(now, pipe_free_[other]), until = begins + op.interval;
    if (until > from) {
      pipe_free_[other] = pipe_done_[other] = until;
      pipe_blocked_[other] += until - from;
    }
  }
  return {pipe, begins};
}

// Register-file read ports: each bank gives `read_ports` operands a cycle; an instruction may be
// `read_cycles` behind before the dispatcher stops (Huerta et al.: three operand-read stages). An operand
// that the warp's last instruction read in the same place comes from the reuse cache, as ptxas would mark it.
void SubCore::take_ports(unsigned s, const OpInfo& op, Cycle now) {
  if (!op.through_ports) return;
  const bool reuse = last_slot_ == s && config_.registers.reuse_entries != 0;
  Cycle latest = now;
  for (unsigned m = op.port_reads; m != 0; m &= m - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(m));
    if (reuse && last_src_[i] == op.src[i]) continue;
    Cycle& bank = bank_free_[op.bank[i]];
    bank = std::max(bank, now) + 1;
    latest = std::max(latest, bank);
  }
  last_slot_ = s;
  last_src_ = op.src;
  const Cycle slack = now + uint64_t{config_.registers.read_cycles} * config_.registers.read_ports;
  if (latest > slack) {
    dispatch_free_ = now + 1 + (latest - slack);
    dispatch_blocked_ += latest - slack;
  }
}

void SubCore::take_scoreboards(WarpSlot& w, const OpInfo& op) {
  for (const uint8_t sb : {op.write_scoreboard, op.read_scoreboard}) {
    if (sb >= 6) continue;
    ++w.scoreboard[sb];
    w.pending |= static_cast<uint8_t>(1u << sb);
    if (op.long_latency) w.long_pending |= static_cast<uint8_t>(1u << sb);
  }
}

void SubCore::count_issue(const OpInfo& op, uint32_t active, uint32_t on) {
  ++stats.inst_executed;
  ++stats.inst_issued;
  ++stats.issue_active;
  stats.thread_inst += static_cast<unsigned>(std::popcount(active));
  stats.thread_inst_on += static_cast<unsigned>(std::popcount(on));
  ++stats.stalls[static_cast<size_t>(Stall::kSelected)];
  if (InstructionCounts* c = sm_.counts(op.source)) {
    ++c->issued;
    ++c->stalls[static_cast<size_t>(Stall::kSelected)];
  }
}

void SubCore::issue(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  const OpInfo& op = *w.next;
  account(w, now);
  unready(s);
  const uint32_t active = w.warp->lanes, on = lanes_on(*w.warp, op);
  w.since = now + 1;
  w.mode = WarpMode::kTimed;
  w.state = Stall::kWait;
  const bool replay = w.replay;
  w.replay = false;
  if (Recorder* r = sm_.recorder())
    r->issue(sm_.warp_number(index_, s), now, w.op, op.latency, op.write_scoreboard);
  Flow flow{w.warp->simt.sets.size(), false};
  const bool moved = sm_.carry_out(index_, s, op, now);
  flow.jumps = op.exec_first != op.exec_end && w.warp->pc != op.exec_end;
  if (w.warp->wait == ptx::Wait::kMbarrier) {  // suspended inside the instruction: it will be tried again
    if (!replay) count_issue(op, active, on);
    const double limit = w.warp->sleep_ns ? static_cast<double>(w.warp->sleep_ns) * sm_.cycles_per_ns()
                                          : config_.barrier.suspend_cycles;
    block(s, WarpMode::kBlocked, Stall::kLongScoreboard, now + 1);
    sm_.events().push(
        now + std::max<Cycle>(2, static_cast<Cycle>(limit)),
        {EventKind::kWakeWarp, w.generation, static_cast<uint16_t>(sm_.warp_number(index_, s)), 0});
    return;
  }
  if (!replay) count_issue(op, active, on);
  const auto [pipe, begins] = take_pipe(op, now);
  const PipeCounter counter = counter_of(pipe);
  if (counter != PipeCounter::kCount) {
    ++sm_.stats.pipe[static_cast<size_t>(counter)];
    if (counter == PipeCounter::kFmaHeavy) ++sm_.stats.pipe[static_cast<size_t>(PipeCounter::kFma)];
  }
  take_ports(s, op, now);
  take_scoreboards(w, op);
  if (op.yields) scheduler_->yielded(s);
  const uint16_t warp = static_cast<uint16_t>(sm_.warp_number(index_, s));
  if (!op.queued) {
    if (op.write_scoreboard < 6)
      sm_.events().push(begins + op.latency, {EventKind::kRelease, 0, warp, op.write_scoreboard});
    if (op.read_scoreboard < 6)
      sm_.events().push(begins + std::min<unsigned>(op.latency, config_.registers.read_cycles + 4u),
                        {EventKind::kRelease, 0, warp, op.read_scoreboard});
  } else if (sm_.lsu().full(index_) && !queue_full_) {
    queue_full_ = true;
    queue_full_since_ = now + 1;
  }
  if (moved && w.warp->wait == ptx::Wait::kNone) {
    if (!sm_.locate(index_, s, now)) return;
  } else if (w.warp->wait == ptx::Wait::kNone) {
    w.op += 1;
    w.next = &sm_.kernel().ops[w.op];
  }
  after_issue(s, op, flow, now);
}

// Cycles that a branch, call, return or convergence takes (H200: probes/sm, Diverge, Call, Indirect).
unsigned SubCore::branch_time(const WarpSlot& w, const OpInfo& op, const Flow& before) const {
  const BranchConfig& b = config_.branch;
  if (op.op == ptx::OpClass::bsync)
    return b.converge + (w.warp->simt.sets.size() < before.sets ? b.other_lanes : 0);
  if (op.through_register) {  // each different target takes its turn
    const size_t sets = w.warp->simt.sets.size();
    return b.through_register * static_cast<unsigned>(1 + (sets > before.sets ? sets - before.sets : 0));
  }
  return before.jumps ? b.taken : b.not_taken;
}

// Beyond the block it is a round trip of its own, longer where the warp has written since its last fence, by
// the way to L2's other side where it has done so there, and ends some time after the answers to what it
// wrote (H200: 263 alone, 386 for st.release, of which each waits for the one before; 492 behind a store to a
// line of either side of L2; 390 to 417 behind an atomic on the near side, 517 to 585 on the far one).
void SubCore::begin_fence(WarpSlot& w, ptx::Scope scope, Cycle now) const {
  const BarrierConfig& b = config_.barrier;
  const uint32_t wider = scope == ptx::Scope::kSys ? b.fence_sys - std::min(b.fence_gpu, b.fence_sys) : 0;
  w.fence_until = std::max(w.fence_until, now + wider + (w.wrote ? b.fence_written : b.fence_gpu) +
                                              (w.wrote_far ? sm_.far_extra() : 0));
  w.fence_time = wider + b.fence_drain;
  w.wrote = w.wrote_far = false;
}

// When the warp may issue again.
void SubCore::after_issue(unsigned s, const OpInfo& op, const Flow& before, Cycle now) {
  WarpSlot& w = slots_[s];
  ptx::Warp& warp = *w.warp;
  const Cycle stalled = now + op.stall;
  switch (op.action) {
    case Action::kBarrier: {
      BlockSlot& block_slot = sm_.block(w.cta);
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
        arm(s, released ? std::max(release, stalled) : stalled, released ? Stall::kBarrier : Stall::kWait,
            now);
      return;
    }
    case Action::kClusterBarrier: {
      BlockSlot& block_slot = sm_.block(w.cta);
      if (warp.wait == ptx::Wait::kClusterBarrier) block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
      if (block_slot.cta->cluster->phase != block_slot.cluster_phase) sm_.tell_cluster(w.cta, now);
      if (warp.wait == ptx::Wait::kNone)
        arm(s, std::max(stalled, block_slot.cluster_release), Stall::kBarrier, now);
      return;
    }
    case Action::kMbarrier:
    case Action::kExit:
    case Action::kBulk:
      sm_.tell_all(w.cta, now + op.latency, now);
      break;
    default:
      break;
  }
  switch (warp.wait) {
    case ptx::Wait::kNone:
      break;
    case ptx::Wait::kDone:
      retire(s, now + 1);
      return;
    case ptx::Wait::kSleep: {
      const Cycle until =
          now + std::max<Cycle>(op.latency,
                                static_cast<Cycle>(static_cast<double>(warp.sleep_ns) * sm_.cycles_per_ns()));
      block(s, WarpMode::kBlocked, Stall::kSleeping, now + 1);
      sm_.events().push(
          until, {EventKind::kWakeWarp, w.generation, static_cast<uint16_t>(sm_.warp_number(index_, s)), 0});
      return;
    }
    default:
      block(s, WarpMode::kBlocked, Stall::kBarrier, now + 1);
      return;
  }
  const unsigned number = sm_.warp_number(index_, s);
  switch (op.action) {
    case Action::kFence:
      // A proxy fence's latency is what a barrier behind it waits for, by its scoreboard.
      w.fence_until = op.op == ptx::OpClass::fence_async ? stalled : std::max(stalled, now + op.latency);
      if (op.op == ptx::OpClass::membar && op.fence_scope < ptx::Scope::kCluster) {
        // Behind what its sub-core has in the memory queue (H200: a store and a fence 14 cycles, a fence
        // alone 9: probes/sm). Those of proxies and beyond the block share no pass.
        const Cycle begins = sm_.lsu().drained(index_, now);
        sm_.count_fence_pass(begins, now);
        w.fence_until = std::max(w.fence_until, begins + op.latency);
        sm_.lsu().hold_queue(index_, begins + config_.barrier.fence_hold);
      } else {
        sm_.count_shared_pass(op.wavefronts);
      }
      if (op.fence_scope >= ptx::Scope::kCluster) {
        begin_fence(w, op.fence_scope, now);
        sm_.lsu().flush_writes(now);
        sm_.lsu().forget_l1();  // what others wrote before the fence has to be seen (SASS: CCTL.IVALL)
        if (w.stores != 0) {
          block(s, WarpMode::kFence, Stall::kMembar, now + 1);
          return;
        }
      }
      arm(s, w.fence_until, Stall::kMembar, now);
      return;
    case Action::kCopyWait:
    case Action::kBulkCommit: {
      const bool waits = w.wait_groups != UINT32_MAX - 1;
      const bool done = !waits || (w.wait_bulk ? sm_.async().bulk_done(number, w.wait_groups, w.wait_read)
                                               : sm_.async().groups_done(number, w.wait_groups,
                                                                         w.wait_groups == UINT32_MAX));
      if (!done) {
        block(s, WarpMode::kCopies, Stall::kLongScoreboard, now + 1);
        return;
      }
      break;
    }
    case Action::kMatrix:
      w.matrix_done = std::max(w.matrix_done, now + op.matrix_time);
      if (w.warp->index_in_cta % 4 == 0) sm_.count_shared_pass(op.wavefronts);
      break;
    case Action::kMatrixCommit:
      w.matrix_groups[w.matrix_commits++ % w.matrix_groups.size()] = w.matrix_done;
      break;
    case Action::kMatrixWait: {  // groups end in order: the newest that must be done says when
      Cycle done = 0;
      if (op.groups < w.matrix_groups.size() && op.groups < w.matrix_commits)
        done = w.matrix_groups[(w.matrix_commits - 1 - op.groups) % w.matrix_groups.size()];
      if (done > stalled) {
        arm(s, done, Stall::kGmma, now);
        return;
      }
      break;
    }
    case Action::kBranch:
      // Its stall count is a wait as any other's (H200, rate_ffma: branch_resolving 0.05 an instruction,
      // where seven turns of 66 take nine cycles each, five of them by the stall count).
      account(w, stalled);
      arm(s, std::max(stalled, now + branch_time(w, op, before)), Stall::kBranchResolving, now);
      return;
    default:
      break;
  }
  arm(s, stalled, Stall::kWait, now);
}

}  // namespace gpuloom::arch
