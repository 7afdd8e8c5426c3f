// SPDX-License-Identifier: Apache-2.0
// Warps of a sub-core come, wait for copies and go: places, occupancy over time, records of a timeline.
#include <algorithm>

#include "arch/sm/sm.h"
#include "arch/sm/sub_core.h"
#include "ptx/exec/describe_wait.h"
#include "ptx/exec/mbarrier.h"

namespace gpuloom::arch {

unsigned SubCore::launch(ptx::Warp* warp, unsigned cta, Cycle now) {
  unsigned s = 0;
  while (slots_[s].mode != WarpMode::kEmpty) ++s;
  WarpSlot& w = slots_[s];
  const uint8_t generation = static_cast<uint8_t>(w.generation + 1);
  const uint16_t stores = w.stores;
  w = WarpSlot{};
  w.generation = generation;
  w.stores = stores;
  w.warp = warp;
  if (ideal_) ideal_slots_[s] = IdealSlot{};
  w.cta = static_cast<uint8_t>(cta);
  w.grid = sm_.block(cta).grid;
  w.kernel = &sm_.grid(w.grid).kernel;
  w.line_base = sm_.grid(w.grid).line_base;
  w.since = w.launched = now;
  residency(+1, now);
  scheduler_->launched(s, sm_.block(cta).block);
  w.mode = WarpMode::kBlocked;
  w.state = Stall::kNoInstruction;
  return s;
}

void SubCore::retire(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  sm_.tell_warpgroup(w.cta, w.warp->index_in_cta, now);  // which no longer waits for it
  // Registers and slot are free when nothing that is on its way can still arrive for them, and stores have
  // left the SM: H200, a warp that stores and exits drains for 22 cycles (lat_*), not for a round trip.
  if (w.unsent != 0 || w.copies != 0 || w.pending != 0) {
    block(s, WarpMode::kDrain, Stall::kDrain, now);
    return;
  }
  if (w.sent_at > now) {
    block(s, WarpMode::kDrain, Stall::kDrain, now);
    sm_.events().push(w.sent_at, {EventKind::kWakeWarp, w.generation,
                                  static_cast<uint16_t>(sm_.warp_number(index_, s)), 0});
    return;
  }
  account(w, now);
  if (w.awaits) end_wait(w, now);
  if (Recorder* r = sm_.recorder())
    r->span(traces::RecordKind::kWarp, sm_.warp_number(index_, s), w.launched, now, 0, w.warp->index_in_cta,
            sm_.block(w.cta).block);
  w.mode = WarpMode::kEmpty;
  w.next = nullptr;
  ++w.generation;
  residency(-1, now);
  scheduler_->retired(s);
  sm_.warp_retired(index_, s, now);
}

void SubCore::record_state(const WarpSlot& w, Stall reason, Cycle now) {
  const auto s = static_cast<unsigned>(&w - slots_.data());
  const uint32_t next = w.next == nullptr ? UINT32_MAX : static_cast<uint32_t>(w.next - w.kernel->ops.data());
  sm_.recorder()->span(traces::RecordKind::kState, sm_.warp_number(index_, s), w.since, now,
                       static_cast<uint8_t>(reason), next);
}

// A warp that is suspended at an mbarrier, or at a wait for copies.
void SubCore::begin_wait(WarpSlot& w, Cycle now) {
  w.awaits = true;
  w.awaits_since = now;
  sm_.wait_begins(w.cta, now);
  if (sm_.pipeline() != nullptr) record_wait(w, now);
}

// Of a timeline: which fill of a buffer the warp waits for.
void SubCore::record_wait(const WarpSlot& w, Cycle now) {
  const unsigned warp = sm_.warp_number(index_, static_cast<unsigned>(&w - slots_.data()));
  PipelineRecorder& pipeline = *sm_.pipeline();
  if (w.warp->wait == ptx::Wait::kMbarrier) {
    if (const auto awaited = ptx::awaited_mbarrier(*w.warp))
      pipeline.waits_for_barrier(warp, awaited->address, ptx::MbarrierWord(awaited->word).transactions() != 0,
                                 awaited->pc, now);
  } else if (!w.wait_bulk) {
    // The wait has issued, and the operation behind it is the next.
    const bool behind = w.next != nullptr && w.next != w.kernel->ops.data();
    const uint32_t at = behind ? (w.next - 1)->source : 0;
    if (const auto group = sm_.async().awaited_group(warp, w.wait_groups))
      pipeline.waits_for_group(warp, *group, at, now);
  }
}

void SubCore::end_wait(WarpSlot& w, Cycle now) {
  w.awaits = false;
  if (PipelineRecorder* p = sm_.pipeline())
    p->wait_ends(sm_.warp_number(index_, static_cast<unsigned>(&w - slots_.data())), now);
  sm_.wait_ends(w.cta, now);
  if (Recorder* r = sm_.recorder())
    r->span(traces::RecordKind::kCopyWait, sm_.warp_number(index_, static_cast<unsigned>(&w - slots_.data())),
            w.awaits_since, std::max(now, w.awaits_since), 0, w.next == nullptr ? 0 : w.next->source);
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
