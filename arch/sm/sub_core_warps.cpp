// SPDX-License-Identifier: Apache-2.0
// Warps of a sub-core come, wait for copies and go: places, occupancy over time, records of a timeline.
#include <algorithm>

#include "arch/sm/sub_core.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/describe_wait.h"
#include "ptx/exec/mbarrier.h"

namespace gpuloom::arch {

unsigned SubCore::launch(ptx::Warp* warp, unsigned cta, unsigned grid, Cycle now) {
  unsigned s = 0;
  while (slots_[s].mode != WarpMode::kEmpty) ++s;
  WarpSlot& w = slots_[s];
  const uint8_t generation = static_cast<uint8_t>(w.generation + 1);
  w = WarpSlot{};
  w.generation = generation;
  w.warp = warp;
  w.number = static_cast<uint16_t>(index_ * capacity_ + s);
  w.sub_core = static_cast<uint8_t>(index_);
  if (ideal_) ideal_slots_[s] = IdealSlot{};
  w.cta = static_cast<uint8_t>(cta);
  w.grid = static_cast<uint8_t>(grid);
  w.kernel = &ports_.grids[grid].grid->kernel;
  w.line_base = ports_.grids[grid].grid->line_base;
  w.since = w.launched = now;
  residency(+1, now);
  scheduler_->launched(s, warp->cta->linear_id);
  w.mode = WarpMode::kBlocked;
  w.state = Stall::kNoInstruction;
  return s;
}

void SubCore::retire(unsigned s, Cycle now) {
  WarpSlot& w = slots_[s];
  ports_.blocks.warpgroup_meets(w.cta, w.warp->index_in_cta, now);  // which no longer waits for it
  // Registers and slot are free when nothing that is on its way can still arrive for them, and stores have
  // left the SM: H200, a warp that stores and exits drains for 22 cycles (lat_*), not for a round trip.
  const WarpWrites& writes = ports_.writes[w.number];
  if (writes.unsent != 0 || !ports_.copies.none_on_way(w.number) || w.pending != 0) {
    block(s, WarpMode::kDrain, Stall::kDrain, now);
    return;
  }
  if (writes.sent_at > now) {
    block(s, WarpMode::kDrain, Stall::kDrain, now);
    ports_.events.push(writes.sent_at, {EventKind::kWakeWarp, w.generation, w.number, 0});
    return;
  }
  account(w, now);
  if (w.awaits) end_wait(w, now);
  if (Recorder* r = recorder())
    r->span(traces::RecordKind::kWarp, w.number, w.launched, now, 0, w.warp->index_in_cta,
            w.warp->cta->linear_id);
  w.mode = WarpMode::kEmpty;
  w.next = nullptr;
  ++w.generation;
  residency(-1, now);
  scheduler_->retired(s);
  ports_.blocks.warp_retired(w, now);
}

// A warp that is suspended at an mbarrier, or at a wait for copies.
void SubCore::begin_wait(WarpSlot& w, Cycle now) {
  w.awaits = true;
  w.awaits_since = now;
  ports_.blocks.wait_begins(w.cta, now);
  if (pipeline() != nullptr) record_wait(w, now);
}

// Of a timeline: which fill of a buffer the warp waits for.
void SubCore::record_wait(const WarpSlot& w, Cycle now) {
  if (w.warp->wait == ptx::Wait::kMbarrier) {
    if (const auto awaited = ptx::awaited_mbarrier(*w.warp))
      pipeline()->waits_for_barrier(w.number, awaited->address,
                                    ptx::MbarrierWord(awaited->word).transactions() != 0, awaited->pc, now);
  } else {
    // The wait has issued, and the operation behind it is the next.
    const bool behind = w.next != nullptr && w.next != w.kernel->ops.data();
    const uint32_t at = behind ? (w.next - 1)->source : 0;
    if (const auto group = ports_.copies.awaited_group(w.number))
      pipeline()->waits_for_group(w.number, *group, at, now);
  }
}

void SubCore::end_wait(WarpSlot& w, Cycle now) {
  w.awaits = false;
  if (PipelineRecorder* p = pipeline()) p->wait_ends(w.number, now);
  ports_.blocks.wait_ends(w.cta, now);
  if (Recorder* r = recorder())
    r->span(traces::RecordKind::kCopyWait, w.number, w.awaits_since, std::max(now, w.awaits_since), 0,
            w.next == nullptr ? 0 : w.next->source);
}

}  // namespace gpuloom::arch
