// SPDX-License-Identifier: Apache-2.0
// A sub-core's accounts: what each warp's cycles went to, how many warps were here.
#include <algorithm>

#include "arch/sm/sub_core.h"

namespace gpuloom::arch {

void SubCore::add_stall(const WarpSlot& w, Stall reason, uint64_t cycles) {
  if (cycles == 0) return;
  stats.stalls[static_cast<size_t>(reason)] += cycles;
  if (InstructionCounts* c = w.next ? ports_.counts.at(w.grid, w.next->source) : nullptr)
    c->stalls[static_cast<size_t>(reason)] += cycles;
}

uint64_t SubCore::throttled(Pipe pipe, Cycle now) const {
  const size_t p = static_cast<size_t>(pipe);
  return pipe_blocked_[p] - (pipe_free_[p] > now ? pipe_free_[p] - now : 0);
}

uint64_t SubCore::throttled(const OpInfo& op, Cycle now) const {
  if (op.queued)
    return queue_full_cycles_ + (queue_full_ && now > queue_full_since_ ? now - queue_full_since_ : 0);
  return throttled(op.pipe, now);
}

void SubCore::charge(WarpSlot& w, Cycle now) {
  if (w.mode == WarpMode::kReady)
    account_ready(w, now);
  else {
    add_stall(w, w.state, now - w.since);
    if (hears(policy::kWaits)) tell_wait(w, w.state, now);
    if (recorder()) record_state(w, w.state, now);
  }
  w.since = now;
}

// A ready warp's cycles split into those in which its pipe, or the dispatcher, took nothing and those in
// which another warp was picked.
SubCore::ReadySplit SubCore::split_ready(const WarpSlot& w, Cycle now) const {
  const uint64_t total = now - w.since;
  const uint64_t pipe = std::min(total, throttled(*w.next, now) - w.mark_pipe);
  const uint64_t blocked = dispatch_blocked_ - (dispatch_free_ > now ? dispatch_free_ - now : 0);
  const uint64_t dispatch = std::min(total - pipe, blocked > w.mark_dispatch ? blocked - w.mark_dispatch : 0);
  Stall reason = Stall::kMathPipeThrottle;
  if (w.next->queued) reason = w.next->long_latency ? Stall::kLgThrottle : Stall::kMioThrottle;
  if (w.next->pipe == Pipe::kTex) reason = Stall::kTexThrottle;
  if (config_.pipes[static_cast<size_t>(w.next->pipe)].queue != 0) reason = Stall::kMioThrottle;
  return {reason, pipe, dispatch, total - pipe - dispatch};
}

void SubCore::account_ready(WarpSlot& w, Cycle now) {
  const auto [reason, pipe, dispatch, others] = split_ready(w, now);
  const uint64_t total = pipe + dispatch + others;
  add_stall(w, reason, pipe);
  add_stall(w, Stall::kDispatchStall, dispatch);
  add_stall(w, Stall::kNotSelected, others);
  if (recorder())
    record_state(w,
                 2 * pipe >= total       ? reason
                 : 2 * dispatch >= total ? Stall::kDispatchStall
                                         : Stall::kNotSelected,
                 now);
  w.mark_pipe += pipe;
  w.mark_dispatch += dispatch;
}

void SubCore::record_state(const WarpSlot& w, Stall reason, Cycle now) {
  const uint32_t next = w.next == nullptr ? UINT32_MAX : static_cast<uint32_t>(w.next - w.kernel->ops.data());
  recorder()->span(traces::RecordKind::kState, w.number, w.since, now, static_cast<uint8_t>(reason), next);
}

// An SM may have run on behind the end of a grid whose accounts are settled.
void SubCore::residency(int change, Cycle now) {
  now = std::max(now, resident_since_);
  stats.warps_active += uint64_t{resident_} * (now - resident_since_);
  if (resident_ != 0) stats.cycles_active += now - resident_since_;
  resident_since_ = now;
  resident_ = static_cast<unsigned>(static_cast<int>(resident_) + change);
}

void SubCore::unsettled(Cycle now, Unsettled& sums) const {
  const Cycle resident = now - std::min(now, resident_since_);
  sums.sub_core_warps += resident_ * resident;
  if (resident_ != 0) sums.sub_core_active += resident;
  const auto add = [&](Stall reason, uint64_t cycles) { sums.stalls[static_cast<size_t>(reason)] += cycles; };
  for (const WarpSlot& w : slots_) {
    if (w.mode == WarpMode::kEmpty || now <= w.since) continue;
    if (w.mode != WarpMode::kReady) {
      add(w.state, now - w.since);
      continue;
    }
    const ReadySplit split = split_ready(w, now);
    add(split.reason, split.pipe);
    add(Stall::kDispatchStall, split.dispatch);
    add(Stall::kNotSelected, split.others);
  }
}

void SubCore::settle_accounts(Cycle now) {
  residency(0, now);
  for (WarpSlot& w : slots_)
    if (w.mode != WarpMode::kEmpty) account(w, now);
}

}  // namespace gpuloom::arch
