// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sub_core.h"

#include <algorithm>
#include <bit>

namespace gpuloom::arch {
SubCore::SubCore(const SmConfig& config, const SubCorePlace& place, const SubCorePorts& ports)
    : config_(config),
      ports_(ports),
      cycles_per_ns_(place.cycles_per_ns),
      index_(place.index),
      capacity_(config.warps_per_sub_core()),
      ready_(config),
      slots_(config.warps_per_sub_core()),
      scheduler_(config.scheduler.make<policy::Scheduler>(
          {place.sm, place.index, config.warps_per_sub_core(), this})),
      ideal_(config.ideal.barriers || config.ideal.divergence || config.ideal.dependences ||
             config.ideal.issue || config.ideal.double_precision || config.ideal.local_memory ||
             config.ideal.partial_warps || config.ideal.fences || config.ideal.shared_loads ||
             config.ideal.division || config.ideal.conversions || config.ideal.exchanges ||
             config.ideal.loop_overhead || config.ideal.reloads || config.ideal.functions ||
             config.ideal.calls || config.ideal.lone_threads || config.ideal.common_work ||
             config.ideal.wide_integers || config.ideal.prologue),
      events_(scheduler_->events()),
      l0_(config.fetch, ports.code, ports.grids) {
  if (ideal_) ideal_slots_.resize(capacity_);
  constant_.configure(config.constant.l0);
}

void SubCore::start_kernel() {
  l0_.invalidate();
  constant_.invalidate();
}

// ---------------------------------------------------------------- what the scheduler sees

policy::Instruction SubCore::instruction(unsigned s) const {
  const OpInfo& op = *slots_[s].next;
  using enum ptx::OpClass;
  policy::Use use = policy::Use::kNoMemory;
  switch (op.op) {
    case ldg:
    case ldgen:
    case ldgsts:
      use = policy::Use::kGlobalLoad;
      break;
    case stg:
    case stgen:
      use = policy::Use::kGlobalStore;
      break;
    case atomg:
    case red:
      use = policy::Use::kGlobalAtomic;
      break;
    case ldl:
    case stl:
      use = policy::Use::kLocal;
      break;
    case lds:
    case sts:
    case atoms:
    case ldsm:
    case stsm:
      use = policy::Use::kShared;
      break;
    default:
      if (op.memory) use = policy::Use::kOther;
      break;
  }
  return {op.source, use};
}

void SubCore::tell_wait(const WarpSlot& w, Stall reason, Cycle now) {
  scheduler_->waited({static_cast<uint32_t>(&w - slots_.data()),
                      w.next == nullptr ? policy::kNone : w.next->source,
                      kStallNames[static_cast<size_t>(reason)], w.since, now});
}

// ---------------------------------------------------------------- modes

void SubCore::block(unsigned s, WarpMode mode, Stall reason, Cycle now) {
  WarpSlot& w = slots_[s];
  account(w, now);
  if (w.awaits) end_wait(w, now);
  if (mode == WarpMode::kCopies || (mode == WarpMode::kBlocked && w.warp->wait == ptx::Wait::kMbarrier))
    begin_wait(w, now);
  ready_.erase(s);
  w.mode = mode;
  w.state = reason;
  ++w.generation;
}

void SubCore::arm(unsigned s, Cycle at, Stall reason, Cycle now) {
  WarpSlot& w = slots_[s];
  account(w, now);
  if (w.awaits) end_wait(w, now);
  w.mode = WarpMode::kTimed;
  w.state = reason;
  ++w.generation;
  if (at <= now) at = now + 1;
  if (ideal_) at = sooner(s, at, now);
  if (at - now < kWheel) {
    wheel_[at % kWheel] |= 1u << s;
    wheel_occupied_ |= uint64_t{1} << (at % kWheel);
    next_ = std::min(next_, at);
  } else {
    ports_.events.push(at, {EventKind::kWakeWarp, w.generation, w.number, 0});
  }
}

void SubCore::wake_timed(unsigned s, unsigned generation, Cycle now) {
  WarpSlot& w = slots_[s];
  if (w.generation != generation || w.mode == WarpMode::kEmpty) return;
  if (w.mode == WarpMode::kTimed) {
    check(s, now);
    return;
  }
  if (w.mode == WarpMode::kDrain) {
    retire(s, now);
    return;
  }
  // The time limit of a sleep or of a suspended wait.
  if (w.warp->wait == ptx::Wait::kSleep) ptx::wake(*w.warp, ptx::Wait::kSleep);
  if (w.warp->wait == ptx::Wait::kMbarrier) {
    w.warp->suspend_expired = true;
    ptx::wake(*w.warp, ptx::Wait::kMbarrier);
    w.replay = true;
  }
  if (w.warp->wait == ptx::Wait::kNone) resume(s, now);
}

void SubCore::resume(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  account(w, now);
  if (w.awaits) end_wait(w, now);
  if (w.warp->wait == ptx::Wait::kDone) {
    retire(s, now);
    return;
  }
  if (locate(s, now)) check(s, now);
}

bool SubCore::locate(unsigned s, Cycle now) {
  const Located found = ports_.function.locate(slots_[s], now);
  if (found == Located::kEnded) resume(s, now);
  if (found == Located::kWaits) block(s, WarpMode::kBlocked, Stall::kBarrier, now);
  return found == Located::kHere;
}

// Scoreboards that its next operation waits for.
unsigned SubCore::waits_for(const WarpSlot& w) {
  return (w.next->wait_mask & w.pending) | (w.next->long_wait_mask & w.long_pending);
}

void SubCore::release(unsigned s, unsigned scoreboard, Cycle now) {
  WarpSlot& w = slots_[s];
  if (--w.scoreboard[scoreboard] != 0) return;
  w.pending &= static_cast<uint8_t>(~(1u << scoreboard));
  w.long_pending &= static_cast<uint8_t>(~(1u << scoreboard));
  if (ideal_) scoreboard_clear(s, scoreboard, now);
  if (w.mode == WarpMode::kScoreboard && waits_for(w) == 0) check(s, now);
  if (w.mode == WarpMode::kDrain) retire(s, now);
}

void SubCore::stores_answered(unsigned s, Cycle now) {
  if (slots_[s].mode != WarpMode::kFence) return;
  if (const Cycle at = ports_.fences.answered(slots_[s].number, now); at != kNever) fence_over(s, at, now);
}

void SubCore::stores_sent(unsigned s, Cycle now) {
  if (slots_[s].mode == WarpMode::kDrain) retire(s, now);
}

void SubCore::fence_over(unsigned s, Cycle at, Cycle now) { arm(s, at, Stall::kMembar, now); }

void SubCore::copies_changed(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  if (w.mode == WarpMode::kDrain) {
    retire(s, now);
    return;
  }
  if (w.mode == WarpMode::kCopies && ports_.copies.wait_done(w.number)) arm(s, now, w.state, now);
}

void SubCore::queue_freed(Cycle now) {
  if (queue_full_) {
    queue_full_ = false;
    if (now > queue_full_since_) queue_full_cycles_ += now - queue_full_since_;
  }
  next_ = std::min(next_, now);
}

// ---------------------------------------------------------------- dependence check

bool SubCore::fetched(WarpSlot& w, unsigned s, Cycle now) {
  if (config_.ideal.instruction_fetch) return true;
  const uint64_t line = w.fetch_line = w.next->fetch_line;
  ++ports_.stats.icc_requests;
  const uint64_t last = w.kernel->code_instructions * config_.fetch.instruction_bytes / config_.fetch.l0.line;
  const auto [ready, missed] = l0_.need(w.grid, line, last, now);
  if (missed) ++ports_.stats.icc_misses;
  if (ready <= now) return true;
  arm(s, ready, Stall::kNoInstruction, now);
  return false;
}

// The address of a load from the constant bank that is the same for all lanes.
static uint64_t constant_address(const ptx::Warp& w, const ptx::TimeRecord& record) {
  const auto lane = static_cast<unsigned>(std::countr_zero(w.lanes));
  const uint64_t base = record.wide ? ptx::source<uint64_t>(w, record.constant_base)[lane]
                                    : ptx::source<uint32_t>(w, record.constant_base)[lane];
  return base + record.constant_displace;
}

bool SubCore::constant_here(WarpSlot& w, unsigned s, Cycle now) {
  const uint64_t at =
      w.next->constant_load ? constant_address(*w.warp, *w.next->record) : w.next->constant_offset;
  const uint64_t line = at / constant_.line_bytes() + w.line_base;
  Cycle ready = constant_.find(line);
  if (ready == kNever) {
    ++ports_.stats.imc_misses;
    ready = ports_.constants.fill(at, w.line_base, !w.next->constant_load, now);
    constant_.insert(line, ready);
  }
  if (ready <= now) return true;
  arm(s, ready, Stall::kImcMiss, now);
  return false;
}

// What has to hold before the warp's next operation can issue; finds the mode that ends when it does.
void SubCore::check(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  if (w.next->fetch_line != w.fetch_line && !fetched(w, s, now)) return;
  unsigned waits = waits_for(w);
  if (ideal_ && waits != 0) waits = ideal_waits(s, waits, now);
  if (waits != 0) {
    block(s, WarpMode::kScoreboard, waits & w.long_pending ? Stall::kLongScoreboard : Stall::kShortScoreboard,
          now);
    return;
  }
  if (w.next->constant_operand && !constant_here(w, s, now)) return;
  if (w.next->action == Action::kMatrix && w.matrix.next() > now)
    return arm(s, w.matrix.next(), Stall::kWait, now);
  make_ready(s, now);
}

void SubCore::make_ready(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  account(w, now);
  w.mode = WarpMode::kReady;
  w.state = Stall::kNotSelected;
  w.mark_pipe = throttled(*w.next, now);
  w.mark_dispatch = dispatch_blocked_ - (dispatch_free_ > now ? dispatch_free_ - now : 0);
  ready_.insert(s, *w.next);
  next_ = std::min(next_, now);
}

// ---------------------------------------------------------------- a cycle

uint32_t SubCore::issuable(Cycle now) const {
  if (dispatch_free_ > now) return 0;
  return ready_.issuable(pipe_free_, ports_.queues.full(index_), now);
}

void SubCore::tick(Cycle now) {
  const uint64_t bit = uint64_t{1} << (now % kWheel);
  if (wheel_occupied_ & bit) {
    uint32_t due = wheel_[now % kWheel];
    wheel_[now % kWheel] = 0;
    wheel_occupied_ &= ~bit;
    for (; due; due &= due - 1) {
      const unsigned s = static_cast<unsigned>(std::countr_zero(due));
      if (slots_[s].mode == WarpMode::kTimed) check(s, now);
    }
  }
  if (!ready_.none())
    if (const uint32_t candidates = issuable(now))
      if (const unsigned picked = scheduler_->pick(candidates, now); picked != policy::kNone) {
        if (ideal_)
          issue_ideal(picked, now);
        else
          issue<false>(picked, now);
      }
  schedule(now);
}

Cycle SubCore::wheel_next(Cycle now) const {
  if (wheel_occupied_ == 0) return kNever;
  const unsigned start = static_cast<unsigned>((now + 1) % kWheel);
  return now + 1 +
         static_cast<unsigned>(std::countr_zero(std::rotr(wheel_occupied_, static_cast<int>(start))));
}

// When to be ticked next: the wheel, or the cycle in which a ready warp finds its pipe free.
void SubCore::schedule(Cycle now) {
  next_ = wheel_next(now);
  if (ready_.none()) return;
  const Cycle floor = std::max(now + 1, dispatch_free_);
  next_ = std::min(next_, ready_.earliest(pipe_free_, ports_.queues.full(index_), floor));
}

}  // namespace gpuloom::arch
