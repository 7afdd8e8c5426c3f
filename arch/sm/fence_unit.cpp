// SPDX-License-Identifier: Apache-2.0
#include "arch/sm/fence_unit.h"

#include <algorithm>

#include "arch/sm/sm.h"

namespace gpuloom::arch {

bool FenceUnit::begin(uint16_t warp, Cycle now) {
  const bool idle = unanswered_ == 0 && end_ <= now && waiting_.empty();
  if (idle) together_ = 0;
  if (together_ < config_.fences_together) {
    ++together_;
    ++unanswered_;
    return true;
  }
  if (unanswered_ == 0 && waiting_.empty()) sm_.events().push(end_, {EventKind::kFencesDone, 0, 0, 0});
  waiting_.push_back(warp);
  return false;
}

void FenceUnit::ends(Cycle at) {
  end_ = std::max(end_, at);
  if (--unanswered_ == 0 && !waiting_.empty()) sm_.events().push(end_, {EventKind::kFencesDone, 0, 0, 0});
}

void FenceUnit::go_on(Cycle now) {
  next_.swap(waiting_);
  together_ = unanswered_ = static_cast<uint32_t>(next_.size());
  for (const uint16_t warp : next_) sm_.sub_core_of(warp).fence_goes_on(sm_.slot_of(warp), now);
  next_.clear();
}

}  // namespace gpuloom::arch
