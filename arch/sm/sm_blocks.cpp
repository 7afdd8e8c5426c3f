// SPDX-License-Identifier: Apache-2.0
// The blocks of an SM: how they start and end, and their barriers.
#include <algorithm>
#include <bit>
#include <bitset>

#include "arch/sm/sm.h"
#include "ptx/exec/matrix/warpgroup_meeting.h"

namespace gpuloom::arch {
namespace {

unsigned lanes_of(const ptx::Warp& warp) {
  return static_cast<unsigned>(std::popcount(ptx::live_lanes(warp)));
}

bool has_partial_warps(const ptx::Cta& cta) {
  return std::any_of(cta.warps.begin(), cta.warps.end(),
                     [](const auto& warp) { return lanes_of(*warp) != kWarpSize; });
}

// ideal.partial_warps: work is shared by lanes, not by warps, as it would be if all warps were full. Of equal
// ones the first from `begin` on.
unsigned least_lanes(const std::vector<std::unique_ptr<SubCore>>& sub_cores, unsigned begin) {
  unsigned best = begin, least = UINT32_MAX;
  for (unsigned i = 0; i < sub_cores.size(); ++i) {
    const unsigned sub = (begin + i) % static_cast<unsigned>(sub_cores.size());
    const SubCore& core = *sub_cores[sub];
    if (core.free_slots() == 0) continue;
    unsigned lanes = 0;
    for (unsigned s = 0; s < core.capacity(); ++s)
      if (core.slot(s).mode != WarpMode::kEmpty) lanes += lanes_of(*core.slot(s).warp);
    if (lanes < least) {
      best = sub;
      least = lanes;
    }
  }
  return best;
}

}  // namespace

void Sm::start_block(unsigned slot, Cycle now) {
  BlockSlot& b = blocks_[slot];
  ResidentGrid& r = residents_[b.grid];
  if (!b.cta) {
    b.own = ptx::create_cta(*r.grid->kernel.launch, b.block, nullptr, id());
    b.cta = b.own.get();
  }
  b.started = b.waited_since = now;
  if (recorders_.pipeline) recorders_.pipeline->block_begins(slot, b.block, b.cta->cluster_rank);
  if (warps_resident_ == 0) active_since_ = now;
  if (r.preload_at == kNever)
    r.preload_at = now + config_.fetch.preload_latency + rank_in_gpc_ * config_.fetch.preload_interval;
  stats.warps_active += uint64_t{warps_resident_} * (now - warps_since_);
  warps_since_ = now;
  warps_resident_ += static_cast<unsigned>(b.cta->warps.size());
  stats.warps_most.see(warps_resident_);
  ++stats.ctas;
  b.warps_left = static_cast<uint32_t>(b.cta->warps.size());
  const bool share = config_.ideal.partial_warps && has_partial_warps(*b.cta);
  for (auto& warp : b.cta->warps) {
    unsigned sub = next_sub_;
    while (sub_cores_[sub]->free_slots() == 0) sub = (sub + 1) % config_.sub_cores;
    if (share) sub = least_lanes(sub_cores_, sub);
    next_sub_ = (sub + 1) % config_.sub_cores;
    const unsigned s = sub_cores_[sub]->launch(warp.get(), slot, b.grid, now);
    const unsigned number = sub * slots_per_sub_ + s;
    writes_[number].launch();
    b.warps.push_back(static_cast<uint16_t>(number));
    if (recorders_.pipeline) recorders_.pipeline->warp_begins(number, slot, warp->index_in_cta);
    execution_.launch(number, *warp, {warp.get(), static_cast<uint8_t>(slot), b.grid});
  }
  Cycle at = now + config_.fetch.warp_start;
  for (uint16_t number : b.warps) {
    add_event(at, {EventKind::kRescue, 0, number, 0});
    at += config_.fetch.warp_interval;
  }
}

void Sm::warp_retired(const WarpPosition& w, Cycle now) {
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
  if (recorders_.states)
    recorders_.states->span(traces::RecordKind::kBlock, cta_slot, b.started, now, 0,
                            static_cast<uint32_t>(b.block));
  b.own.reset();
  b.cluster.reset();
  b.cta = nullptr;
  b.busy = false;
  --busy_slots_;
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

bool Sm::barrier_reached(const WarpPosition& w, bool waits, Cycle release, Cycle now) {
  BlockSlot& b = blocks_[w.cta];
  const bool released = b.cta->phase_changes != b.phase_changes;
  if (recorders_.states) {
    const Cycle since = std::min(b.barrier_since, now);
    b.barrier_since = released ? kNever : since;
    if (released) recorders_.states->span(traces::RecordKind::kBarrier, w.cta, since, release, 0, 0);
  }
  if (waits) b.arrived.push_back(w.number);
  return released;
}

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
  if (queue_used_[cta_slot]) lsu_.barrier_pass(now);
  queue_used_[cta_slot] = 0;
  const auto turn = [&](unsigned number) {
    const Cycle mine = std::max(at, barrier_free_);
    barrier_free_ = mine + config_.barrier.per_warp;
    return std::max(mine, queues_.passes_due(number));
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
      if (sub.locate(s, now)) sub.arm(s, turn(number), Stall::kBarrier, now);
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
  async_.late_answered(now);
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

void Sm::barriers_changed(unsigned cta_slot, Cycle at, Cycle now) {
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

void Sm::warpgroup_meets(unsigned cta_slot, uint32_t index_in_cta, Cycle now) {
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
    sub.give_back(slot_of(number), now);
    if (sub.locate(slot_of(number), now)) sub.arm(slot_of(number), at, Stall::kBarrier, now);
    next_ = std::min(next_, at);
  }
}

Cycle Sm::cluster_barrier_reached(unsigned cta_slot, Cycle now) {
  BlockSlot& b = blocks_[cta_slot];
  if (b.cta->cluster->phase == b.cluster_phase) return b.cluster_release;
  const Cycle at = now + config_.barrier.cluster_latency;
  if (!b.cluster) {
    cluster_released(cta_slot, at, now);
    return b.cluster_release;
  }
  for (const ClusterHold::Place& place : b.cluster->places)
    if (place.sm->blocks_[place.slot].cluster == b.cluster) place.sm->cluster_released(place.slot, at, now);
  return b.cluster_release;
}

}  // namespace gpuloom::arch
