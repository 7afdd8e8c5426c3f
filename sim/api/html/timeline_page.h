// SPDX-License-Identifier: Apache-2.0
// What the warps of the recorded SMs did, as a page draws it.
#pragma once
#include <nlohmann/json.hpp>

#include "traces/timeline.h"

namespace gpuloom::sim {

// {from, to, left_out?, reasons, operations, sms: [{sm, warps: [{slot, lives: [[begin, end, block, warp]],
// states: [[begin, length, reason, operation]]}]}]}: the first cycles, as many as fit some 300 kB. Where a
// warp that lives has no state it issues.
nlohmann::ordered_json timeline_page(const traces::Timeline& timeline);

}  // namespace gpuloom::sim
