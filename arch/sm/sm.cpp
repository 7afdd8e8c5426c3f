// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/sm.h"

#include <algorithm>
#include <bitset>

#include "ptx/exec/matrix/warpgroup_meeting.h"

namespace gpuloom::arch {

Sm::Sm(const SmConfig& config, const NocConfig& noc, unsigned id, unsigned gpc, double clock_hz)
    : config_(config),
      noc_(noc),
      id_(id),
      gpc_(gpc),
      slots_per_sub_(config.warps_per_sub_core()),
      clock_hz_(clock_hz),
      lsu_(std::make_unique<Lsu>(*this, config)),
      async_(std::make_unique<AsyncUnit>(*this, config)),
      constants_(*this, config),
      fences_(*this, config.barrier),
      blocks_(config.limits.blocks_per_sm),
      scratch_record_(config.limits.warps_per_sm, UINT32_MAX) {
  for (unsigned i = 0; i < config.sub_cores; ++i)
    sub_cores_.push_back(std::make_unique<SubCore>(*this, config, i));
  l1i_.configure(config.fetch.l1);
  residents_.resize(std::min(config.limits.blocks_per_sm, kMostResident));
  constant_l1_.configure(config.constant.l1);
}

void Sm::take_arrivals() {
  if (arrivals_.events.empty()) return;
  for (const auto& [cycle, event] : arrivals_.events) events_.push(cycle, event);
  next_ = std::min(next_, arrivals_.first);
  arrivals_.events.clear();
  arrivals_.first = kNever;
}

// ---------------------------------------------------------------- time

// Up to here nothing can come from outside that is not known yet: an answer, or a block in place of one that
// has ended, takes a window or more.
Cycle Sm::horizon(Cycle window) const {
  Cycle first = kNever - window;
  if (!outbox.empty()) first = std::min(first, outbox.front().cycle);
  if (!apart.empty()) first = std::min(first, apart.front().cycle);
  if (!news.empty()) first = std::min(first, news.front().at);
  return first + window;
}

void Sm::run_window(const sim::Window& w) {
  set_counts(w.thread);
  const Cycle window = w.part == sim::WindowPart::kWhole ? w.end - w.begin : w.length;
  if (w.part != sim::WindowPart::kSecond) take_arrivals();  // meanwhile others come
  Cycle now = std::max(w.begin, next_);
  while (now < w.end || (now < w.limit && now < horizon(window))) {
    if (now >= interval_end_) pass_intervals(now);
    if (events_.next() <= now) events_.run(now, [&](const Event& event) { handle(event, now); });
    if (lsu_->next() <= now) lsu_->tick(now);
    for (auto& sub : sub_cores_) {
      if (sub->next() <= now) sub->tick(now);
    }
    // A later sub-core may have woken warps of an earlier one.
    Cycle next = std::min(lsu_->next(), events_.next());
    for (const auto& sub : sub_cores_) next = std::min(next, sub->next());
    now = std::max(now + 1, next);
  }
  next_ = now;
  if (w.part == sim::WindowPart::kFirst) set_apart(w.end);
}

void Sm::set_apart(Cycle end) {
  const auto later =
      std::find_if(outbox.begin(), outbox.end(), [=](const OutMessage& m) { return m.cycle >= end; });
  if (later == outbox.end()) {
    apart.swap(outbox);
    return;
  }
  apart.assign(outbox.begin(), later);
  outbox.erase(outbox.begin(), later);
}

void Sm::rejoin() {
  if (apart.empty()) return;
  apart.insert(apart.end(), outbox.begin(), outbox.end());
  outbox.swap(apart);
  apart.clear();
}

void Sm::handle(const Event& event, Cycle now) {
  switch (event.kind) {
    case EventKind::kRelease:
      if (recorder_) recorder_->released(event.a, event.b, now);
      sub_core_of(event.a).release(slot_of(event.a), event.b, now);
      break;
    case EventKind::kFill:
      lsu_->filled(event.b, now);
      break;
    case EventKind::kStoreDone:
      --residents_[event.generation].stores_in_flight;
      residents_[event.generation].last_store_answer = now;
      if (event.a == kNoWarp) {  // of a bulk copy
        lsu_->bulk_write_answered(event.b);
        async_->write_answered(now);
        break;
      }
      lsu_->write_answered(event.b);
      sub_core_of(event.a).store_done(slot_of(event.a), now);
      break;
    case EventKind::kReleased:
      lsu_->released(event.b, now);
      break;
    case EventKind::kAtomicDone:
      lsu_->write_answered(event.a);
      lsu_->atomic_answered(event.b, event.generation != 0, now);
      break;
    case EventKind::kWakeWarp:
      sub_core_of(event.a).wake_timed(slot_of(event.a), event.generation, now);
      break;
    case EventKind::kRetryWait:
      retry_wait(event.a, now);
      break;
    case EventKind::kCopyHere:
      async_->data_arrived(event.b, now);
      break;
    case EventKind::kCopyArrived:
      async_->copy_done(event.b, now);
      break;
    case EventKind::kFencesDone:
      fences_.go_on(now);
      break;
    case EventKind::kConstantWord:
      constants_.serve(event.b, now);
      break;
    case EventKind::kAsyncStart:
      async_->go_on(now);
      break;
    case EventKind::kAsyncDone:
      async_->finish_bulk(event.b, now);
      break;
    case EventKind::kCtaStart:
      start_block(event.a, now);
      break;
    case EventKind::kRescue:
      sub_core_of(event.a).resume(slot_of(event.a), now);
      break;
    case EventKind::kClusterNotify:
      if (blocks_[event.a].busy && blocks_[event.a].cta) tell_block(event.a, now, now);
      break;
    case EventKind::kGridsEnded:
      grids_ended(event.a, now);
      break;
  }
}

Cycle Sm::fetch_line(unsigned grid, uint64_t line, Cycle now) {
  ResidentGrid& r = residents_[grid];
  const uint64_t tag = line + r.grid->line_base;
  const Cycle transfer = static_cast<Cycle>(config_.fetch.l1.line / config_.fetch.l1_bytes_per_cycle);
  const Cycle start = std::max(now, l1i_free_);
  l1i_free_ = start + std::max<Cycle>(1, transfer);
  Cycle here = l1i_.find(tag);
  if (here == kNever) {
    // What the launch brings along is there some time after the first block (once: later it is as far as all
    // else).
    const bool preloaded = (line + 1) * config_.fetch.l1.line <= config_.fetch.preload_bytes &&
                           !(r.preloaded[line / 64] >> (line % 64) & 1);
    if (preloaded) r.preloaded[line / 64] |= uint64_t{1} << (line % 64);
    here = preloaded ? r.preload_at : start + config_.fetch.l2_latency;
    l1i_.insert(tag, here);
  }
  return std::max(here, start) + config_.fetch.l1.latency;
}

Cycle Sm::constant_line(uint64_t address, uint64_t line_base, bool parameter, Cycle now) {
  const uint64_t line = address / constant_l1_.line_bytes() + line_base;
  Cycle here = constant_l1_.find(line);
  if (here == kNever) {
    here = parameter ? now : now + config_.fetch.l2_latency;
    constant_l1_.insert(line, here);
  }
  return std::max(here, now) + config_.constant.l1.latency;
}

// ---------------------------------------------------------------- blocks

void Sm::start_block(unsigned slot, Cycle now) {
  BlockSlot& b = blocks_[slot];
  ResidentGrid& r = residents_[b.grid];
  if (!b.cta) {
    b.own = ptx::create_cta(*r.grid->kernel.launch, b.block, nullptr, id_);
    b.cta = b.own.get();
  }
  b.started = b.waited_since = now;
  if (pipeline_) pipeline_->block_begins(slot, b.block, b.cta->cluster_rank);
  if (warps_resident_ == 0) active_since_ = now;
  if (r.preload_at == kNever)
    r.preload_at = now + config_.fetch.preload_latency + rank_in_gpc_ * config_.fetch.preload_interval;
  stats.warps_active += uint64_t{warps_resident_} * (now - warps_since_);
  warps_since_ = now;
  warps_resident_ += static_cast<unsigned>(b.cta->warps.size());
  stats.warps_most.see(warps_resident_);
  ++stats.ctas;
  b.warps_left = static_cast<uint32_t>(b.cta->warps.size());
  for (auto& warp : b.cta->warps) {
    unsigned sub = next_sub_;
    while (sub_cores_[sub]->free_slots() == 0) sub = (sub + 1) % config_.sub_cores;
    next_sub_ = (sub + 1) % config_.sub_cores;
    const unsigned s = sub_cores_[sub]->launch(warp.get(), slot, now);
    const unsigned number = warp_number(sub, s);
    b.warps.push_back(static_cast<uint16_t>(number));
    if (pipeline_) pipeline_->warp_begins(number, slot, warp->index_in_cta);
    if (scratch_record_[number] == UINT32_MAX) scratch_record_[number] = new_atomic();
    warp->late = &late_;
    warp->deferred = &atomics_[scratch_record_[number]]->data;
    async_->launch(number);
    warp->async = async_->capture(number);
  }
  Cycle at = now + config_.fetch.warp_start;
  for (uint16_t number : b.warps) {
    add_event(at, {EventKind::kRescue, 0, number, 0});
    at += config_.fetch.warp_interval;
  }
}

void Sm::warp_retired(unsigned sub, unsigned slot, Cycle now) {
  const WarpSlot& w = sub_cores_[sub]->slot(slot);
  const unsigned cta_slot = w.cta;
  BlockSlot& b = blocks_[cta_slot];
  ResidentGrid& r = residents_[b.grid];
  r.warp_instructions += w.warp->executed;
  stats.warps_active += uint64_t{warps_resident_} * (now - std::min(now, warps_since_));
  warps_since_ = std::max(now, warps_since_);
  if (--warps_resident_ == 0) stats.cycles_active += now - active_since_;
  if (--b.warps_left != 0) return;
  --r.blocks;
  news.push_back({now, r.grid, true, !b.lets_dependents});
  if (recorder_)
    recorder_->span(traces::RecordKind::kBlock, cta_slot, b.started, now, 0, static_cast<uint32_t>(b.block));
  b.own.reset();
  b.cluster.reset();
  b.cta = nullptr;
  b.busy = false;
  --busy_slots_;
}

void Sm::unsettled(Cycle now, Unsettled& sums) const {
  for (const auto& sub : sub_cores_) sub->unsettled(now, sums);
  if (warps_resident_ == 0) return;
  sums.sm_active += now - std::min(now, active_since_);
  sums.sm_warps += warps_resident_ * (now - std::min(now, warps_since_));
}

void Sm::settle_accounts(Cycle now) {
  for (auto& sub : sub_cores_) sub->settle_accounts(now);
}

// ---------------------------------------------------------------- barriers

namespace {
// Lanes of the warp are suspended at an mbarrier; others may go on meanwhile, or wait for something else.
bool suspended(const ptx::Warp& w) {
  return w.wait == ptx::Wait::kMbarrier ||
         std::any_of(w.simt.sets.begin(), w.simt.sets.end(),
                     [](const ptx::ConvergenceSet& set) { return set.wait == ptx::Wait::kMbarrier; });
}
}  // namespace

// Function runs ahead of time: warps that a barrier has released may go on at `at` or, since the barrier unit
// lets one go after the other, in the order in which they came (H200: clocks behind a barrier of 32 warps
// read 0, 2, 4, 6, 10, 12, ... 66, probes/clocks), a little later, though not before their own accesses to
// shared memory are through (probes/passes, steps: a warp that comes last with a store of P passes leaves 8
// + 3.5 P cycles after another). Suspended mbarrier waits are tried again then. Returns when `last`, the warp
// that completed the barrier, may go on. The end of a barrier or of an mbarrier's phase takes a pass of
// shared memory if the block has used the memory queue since the last one (H200: probes/passes, order).
Cycle Sm::tell_block(unsigned cta_slot, Cycle at, Cycle now, unsigned last) {
  BlockSlot& b = blocks_[cta_slot];
  b.phase_changes = b.cta->phase_changes;
  if (b.queue_used) count_barrier_pass(now);
  b.queue_used = false;
  const auto turn = [&](unsigned number) {
    const Cycle mine = std::max(at, barrier_free_);
    barrier_free_ = mine + config_.barrier.per_warp;
    return std::max(mine, lsu_->passes_due(number));
  };
  std::bitset<kMostWarps> told;
  const auto tell = [&](uint16_t number) {
    told.set(number);
    SubCore& sub = sub_core_of(number);
    const unsigned s = slot_of(number);
    WarpSlot& w = sub.slot(s);
    if (w.mode == WarpMode::kEmpty || w.warp->cta != b.cta) return;
    const bool blocked = w.mode == WarpMode::kBlocked;
    const bool released = blocked && w.warp->wait == ptx::Wait::kNone && w.state == Stall::kBarrier;
    // Lanes whose turn it is not try again when it is.
    if (!blocked || released) ptx::wake(*w.warp, ptx::Wait::kMbarrier);
    if (released) {
      sub.give_back(s, now);
      if (locate(number / slots_per_sub_, s, now)) sub.arm(s, turn(number), Stall::kBarrier, now);
    } else if (blocked && suspended(*w.warp)) {
      add_event(at, {EventKind::kRetryWait, 0, number, 0});
    }
  };
  for (const uint16_t number : b.arrived) tell(number);
  std::erase_if(b.arrived, [&](uint16_t number) {
    return sub_core_of(number).slot(slot_of(number)).warp->wait != ptx::Wait::kBarrier;
  });
  for (const uint16_t number : b.warps)
    if (number != last && !told[number]) tell(number);
  return last == UINT32_MAX ? at : turn(last);
}

void Sm::retry_wait(unsigned warp, Cycle now) {
  SubCore& sub = sub_core_of(warp);
  WarpSlot& w = sub.slot(slot_of(warp));
  if (w.mode != WarpMode::kBlocked || !suspended(*w.warp)) return;
  ptx::wake(*w.warp, ptx::Wait::kMbarrier);
  if (w.warp->wait != ptx::Wait::kNone) return;
  w.replay = true;
  sub.resume(slot_of(warp), now);
}

void Sm::late_answered(const ptx::DeferredAtomic& access, Cycle now) {
  late_.remove(access);
  async_->late_answered(now);
  if (!late_.take_awaited()) return;
  for (const BlockSlot& b : blocks_) {
    if (!b.busy || !b.cta) continue;
    for (const uint16_t number : b.warps) {
      WarpSlot& w = warp_slot(number);
      if (w.mode == WarpMode::kEmpty || w.warp->cta != b.cta) continue;
      const bool waits = w.mode == WarpMode::kBlocked && w.warp->wait != ptx::Wait::kNone;
      ptx::wake(*w.warp, ptx::Wait::kMemory);
      if (!waits || w.warp->wait != ptx::Wait::kNone) continue;
      w.replay = w.state == Stall::kLongScoreboard;
      sub_core_of(number).resume(slot_of(number), now);
    }
  }
}

void Sm::tell_all(unsigned cta_slot, Cycle at, Cycle now) {
  BlockSlot& b = blocks_[cta_slot];
  if (b.cta->phase_changes != b.phase_changes) tell_block(cta_slot, at, now);
  if (!b.cluster) return;
  for (const ClusterHold::Place& place : b.cluster->places) {
    if (place.sm == this && place.slot == cta_slot) continue;
    const BlockSlot& other = place.sm->blocks_[place.slot];
    if (other.cluster == b.cluster && other.cta && other.cta->phase_changes != other.phase_changes)
      place.sm->push(at + noc_.cluster_latency / 2,
                     {EventKind::kClusterNotify, 0, static_cast<uint16_t>(place.slot), 0});
  }
}

void Sm::tell_warpgroup(unsigned cta_slot, uint32_t index_in_cta, Cycle now) {
  const BlockSlot& b = blocks_[cta_slot];
  if (!b.cta->meetings) return;
  const size_t first = index_in_cta / ptx::kWarpgroupWarps * ptx::kWarpgroupWarps;
  const size_t end = std::min<size_t>(first + ptx::kWarpgroupWarps, b.warps.size());
  for (size_t k = first; k < end; ++k) {
    SubCore& sub = sub_core_of(b.warps[k]);
    const unsigned s = slot_of(b.warps[k]);
    const WarpSlot& w = sub.slot(s);
    if (w.mode == WarpMode::kBlocked && w.state == Stall::kGmma && w.warp->cta == b.cta &&
        w.warp->wait == ptx::Wait::kNone)
      sub.product_begins(s, now);
  }
}

void Sm::cluster_released(unsigned cta_slot, Cycle at, Cycle now) {
  BlockSlot& b = blocks_[cta_slot];
  b.cluster_phase = b.cta->cluster->phase;
  b.phase_changes = b.cta->phase_changes;
  b.cluster_release = at;
  for (uint16_t number : b.warps) {
    SubCore& sub = sub_core_of(number);
    WarpSlot& w = sub.slot(slot_of(number));
    if (w.mode != WarpMode::kBlocked || w.warp->cta != b.cta || w.warp->wait != ptx::Wait::kNone) continue;
    if (locate(number / slots_per_sub_, slot_of(number), now))
      sub.arm(slot_of(number), at, Stall::kBarrier, now);
    next_ = std::min(next_, at);
  }
}

void Sm::tell_cluster(unsigned cta_slot, Cycle now) {
  BlockSlot& b = blocks_[cta_slot];
  const Cycle at = now + config_.barrier.cluster_latency;
  if (!b.cluster) {
    cluster_released(cta_slot, at, now);
    return;
  }
  for (const ClusterHold::Place& place : b.cluster->places)
    if (place.sm->blocks_[place.slot].cluster == b.cluster) place.sm->cluster_released(place.slot, at, now);
}

}  // namespace gpuloom::arch
