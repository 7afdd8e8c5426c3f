// SPDX-License-Identifier: Apache-2.0
// The issue stage of a sub-core: what an operation takes when it issues, and when its warp goes on.
#include <algorithm>
#include <bit>

#include "arch/sm/sub_core.h"
#include "ptx/exec/lanes_on.h"

namespace gpuloom::arch {
namespace {

constexpr std::array<PipeCounter, kPipes> kCounters = [] {
  std::array<PipeCounter, kPipes> counters{};
  counters.fill(PipeCounter::kCount);
  const auto set = [&](Pipe pipe, PipeCounter counter) { counters[static_cast<size_t>(pipe)] = counter; };
  set(Pipe::kAlu, PipeCounter::kAlu);
  set(Pipe::kFmaHeavy, PipeCounter::kFmaHeavy);
  set(Pipe::kFmaLite, PipeCounter::kFma);
  set(Pipe::kHalf, PipeCounter::kFp16);
  set(Pipe::kFp64, PipeCounter::kFp64);
  set(Pipe::kXu, PipeCounter::kXu);
  set(Pipe::kTensor, PipeCounter::kTensor);
  set(Pipe::kUniform, PipeCounter::kUniform);
  set(Pipe::kBranch, PipeCounter::kCbu);
  set(Pipe::kLsu, PipeCounter::kLsu);
  set(Pipe::kAdu, PipeCounter::kAdu);
  set(Pipe::kTex, PipeCounter::kTex);
  return counters;
}();

}  // namespace

SubCore::Taken SubCore::take_pipe(const OpInfo& op, Cycle now) {
  Pipe pipe = op.pipe;
  if (config_.pipes[static_cast<size_t>(pipe)].shared)
    return {pipe, now};  // the shared unit keeps its own time
  if (pipe_free_[static_cast<size_t>(pipe)] > now && op.also != Pipe::kNone) pipe = op.also;
  const size_t p = static_cast<size_t>(pipe);
  const Cycle begins = std::max(now, pipe_done_[p]);
  pipe_done_[p] = begins + op.interval;
  pipe_free_[p] = std::max(now + 1, pipe_done_[p] - std::min(Cycle{op.queue_time}, pipe_done_[p]));
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

template <bool kIdeal>
void SubCore::count_issue(unsigned grid, const OpInfo& op, uint32_t active, uint32_t on) {
  ++stats.inst_executed;
  ++stats.inst_issued;
  if (!kIdeal || !issued_) ++stats.issue_active;
  stats.thread_inst += static_cast<unsigned>(std::popcount(active));
  stats.thread_inst_on += static_cast<unsigned>(std::popcount(on));
  InstructionCounts* c = ports_.counts.at(grid, op.source);
  if (c != nullptr) ++c->issued;
  if constexpr (kIdeal) {
    issued_ = true;
    if (free_) return;
  }
  ++stats.stalls[static_cast<size_t>(Stall::kSelected)];
  if (c != nullptr) ++c->stalls[static_cast<size_t>(Stall::kSelected)];
}

// Further turns of a loop over lanes leave out what the schedule has put between its operations.
void SubCore::next_op(WarpSlot& w, const OpInfo& op) {
  w.op += 1;
  if (w.turning)
    while (w.kernel->ops[w.op].source != op.source) w.op += 1;
  w.next = &w.kernel->ops[w.op];
}

// The operation goes into its pipe; its scoreboards are released when it is through.
void SubCore::begin_operation(unsigned s, const OpInfo& op, Cycle now) {
  WarpSlot& w = slots_[s];
  const auto [pipe, begins] = take_pipe(op, now);
  const PipeCounter counter = kCounters[static_cast<size_t>(pipe)];
  if (counter != PipeCounter::kCount) {
    ++ports_.stats.pipe[static_cast<size_t>(counter)];
    if (counter == PipeCounter::kFmaHeavy) ++ports_.stats.pipe[static_cast<size_t>(PipeCounter::kFma)];
  }
  if (op.action == Action::kMatrix) {
    w.matrix.issued(begins + op.matrix_time, now + op.matrix_gap);
  }
  if (op.queued) return;
  if (op.write_scoreboard < 6)
    ports_.events.push(begins + op.latency, {EventKind::kRelease, 0, w.number, op.write_scoreboard});
  if (op.read_scoreboard < 6)
    ports_.events.push(begins + std::min<unsigned>(op.latency, config_.registers.read_cycles + 4u),
                       {EventKind::kRelease, 0, w.number, op.read_scoreboard});
}

template <bool kIdeal>
void SubCore::issue(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  if constexpr (kIdeal) join_loads(w);
  const OpInfo& op = *w.next;
  account(w, now);
  ready_.erase(s);
  if (hears(policy::kIssues)) scheduler_->issued({s, instruction(s), now});
  const uint32_t active = w.warp->lanes, on = ptx::lanes_on(*w.warp, op.guard, op.guard_negated);
  bool free = false;  // it takes no time
  if constexpr (kIdeal) free = free_ = free_part(s, op);
  w.since = now + (free ? 0 : 1);
  w.mode = WarpMode::kTimed;
  w.state = Stall::kWait;
  const bool replay = w.replay;
  w.replay = false;
  if (Recorder* r = recorder()) r->issue(w.number, now, w.op, op.latency, op.write_scoreboard);
  Flow flow{w.warp->simt.sets.size(), false};
  const bool moved = ports_.function.carry_out(w, op, stats, now);
  if constexpr (kIdeal) take_late_results(s);
  flow.jumps = op.exec_first != op.exec_end && w.warp->pc != op.exec_end;
  if (w.warp->wait == ptx::Wait::kMbarrier) {  // suspended inside the instruction: it will be tried again
    if (!replay) count_issue<kIdeal>(w.grid, op, active, on);
    const double limit = w.warp->sleep_ns ? static_cast<double>(w.warp->sleep_ns) * cycles_per_ns_
                                          : config_.barrier.suspend_cycles;
    block(s, WarpMode::kBlocked, Stall::kLongScoreboard, now + 1);
    ports_.events.push(now + std::max<Cycle>(2, static_cast<Cycle>(limit)),
                       {EventKind::kWakeWarp, w.generation, w.number, 0});
    return;
  }
  if (!replay) count_issue<kIdeal>(w.grid, op, active, on);
  if (w.warp->wait == ptx::Wait::kMemory)
    return block(s, WarpMode::kBlocked, Stall::kLongScoreboard, now + 1);
  if (!free) take_ports(s, op, now);
  if (!free || op.queued) take_scoreboards(w, op);
  if (op.yields) scheduler_->yielded(s);
  if (w.warp->wait == ptx::Wait::kWarpgroup)  // the pipe begins when the rest of its warpgroup has come
    return block(s, WarpMode::kBlocked, Stall::kGmma, now + 1);
  if (!free || op.queued) begin_operation(s, op, now);
  if (op.queued && ports_.queues.full(index_) && !queue_full_) {
    queue_full_ = true;
    queue_full_since_ = now + 1;
  }
  const bool turns = op.loop_back != 0 && ports_.copies.next_turn(w.number);
  if (op.loop_back != 0) w.turning = turns;  // wherever the last turn goes on
  if (turns) {
    flow.jumps = true;
    w.op -= op.loop_back;
    w.next = &w.kernel->ops[w.op];
  } else if (moved && w.warp->wait == ptx::Wait::kNone) {
    if (!locate(s, now)) return;
  } else if (w.warp->wait == ptx::Wait::kNone) {
    next_op(w, op);
  }
  if constexpr (kIdeal) {
    if (free && w.warp->wait == ptx::Wait::kNone) return check(s, now);
    free_ = false;
  }
  if (op.action == Action::kLetDependents && on != 0) ports_.blocks.let_dependents(w.cta, now);
  if (op.action == Action::kGridWait && on != 0 && waits_for_grids(s, op, now)) return;
  after_issue(s, op, flow, now);
}

template void SubCore::issue<false>(unsigned, Cycle);
template void SubCore::issue<true>(unsigned, Cycle);

}  // namespace gpuloom::arch
