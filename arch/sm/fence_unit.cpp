// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/fence_unit.h"

#include <algorithm>

namespace gpuloom::arch {

// A fence that asks all slices: one at a time, and fences that come meanwhile share the next. Returns when
// the last request leaves.
Cycle FenceUnit::ask_slices(Cycle now) {
  if (now > asked_at_) asked_at_ = std::max(now, asked_at_ + config_.fence_ask + config_.fence_gpu);
  return asked_at_ + config_.fence_ask;
}

// Beyond the block it is a round trip of its own, longer where the warp has written since its last fence, by
// the way to L2's other side where it has done so there, and ends some time after the answers to what it
// wrote (H200: 263 alone, 386 for st.release, of which each waits for the one before; 492 behind a store to a
// line of either side of L2; 390 to 417 behind an atomic on the near side, 517 to 585 on the far one).
void FenceUnit::round_trip(uint16_t warp, Cycle now) {
  Fence& f = fences_[warp];
  WarpWrites& w = writes_[warp];
  const uint32_t wider =
      f.scope == ptx::Scope::kSys ? config_.fence_sys - std::min(config_.fence_gpu, config_.fence_sys) : 0;
  const Cycle turn_at = turn(now), begins = config_.fence_ask == 0 ? turn_at : ask_slices(turn_at);
  f.until = std::max(f.until, begins + wider + (w.wrote ? config_.fence_written : config_.fence_gpu) +
                                  (w.wrote_far ? far_extra_ : 0));
  f.time = wider + config_.fence_drain;
  w.fenced();
}

Cycle FenceUnit::begin(uint16_t warp, ptx::Scope scope, Cycle earliest, Cycle now) {
  Fence& f = fences_[warp];
  const bool finds_writes = writes_[warp].unanswered != 0;
  f = {earliest, 0, scope, finds_writes && !joins(warp, now)};
  if (!f.waits) round_trip(warp, now);
  return finds_writes ? kNever : f.until;
}

// A fence of a warp with writes on their way. False: as many as go together are under way, and the warp gets
// its turn when they are done.
bool FenceUnit::joins(uint16_t warp, Cycle now) {
  const bool idle = unanswered_ == 0 && end_ <= now && waiting_.empty();
  if (idle) together_ = 0;
  if (together_ < config_.fences_together) {
    ++together_;
    ++unanswered_;
    return true;
  }
  if (unanswered_ == 0 && waiting_.empty()) events_.push(end_, {EventKind::kFencesDone, 0, 0, 0});
  waiting_.push_back(warp);
  return false;
}

// Known once the writes of a fence have been answered.
void FenceUnit::ends(Cycle at) {
  end_ = std::max(end_, at);
  if (--unanswered_ == 0 && !waiting_.empty()) events_.push(end_, {EventKind::kFencesDone, 0, 0, 0});
}

Cycle FenceUnit::answered(uint16_t warp, Cycle now) {
  const Fence& f = fences_[warp];
  if (f.waits) return kNever;
  const Cycle at = std::max(f.until, now + f.time);
  ends(at);
  return at;
}

// Other warps' fences are done. What the warp wrote has been answered since, or is waited for as ever.
Cycle FenceUnit::begin_waiting(uint16_t warp, Cycle now) {
  fences_[warp].waits = false;
  writes_[warp].fenced();
  round_trip(warp, now);
  if (writes_[warp].unanswered != 0) return kNever;
  ends(fences_[warp].until);
  return fences_[warp].until;
}

}  // namespace gpuloom::arch
