// SPDX-License-Identifier: Apache-2.0
// Member masks of .sync instructions.
#pragma once
#include <bit>

#include "ptx/exec/memory_path.h"
#include "ptx/exec/simt.h"

namespace gpuloom::ptx {

// Lanes to act for, once all members have come; 0: not yet (the lane function returns without effect). The
// masks may differ between lanes. Throws Fault where a lane is not in its own mask.
uint32_t sync_members(Warp& w, const Instr& in, uint32_t lanes, Place mask);

// Calls f(group, mask) for the lanes of each distinct mask: group are the lanes of `lanes` that gave it and
// are in it.
template <class F>
inline void for_groups(const Warp& w, uint32_t lanes, Place mask, F&& f) {
  const uint32_t* masks = source<uint32_t>(w, mask);
  if (mask.constant()) {
    f(lanes & masks[0], masks[0]);
    return;
  }
  while (lanes != 0) {
    const uint32_t m = masks[std::countr_zero(lanes)];
    uint32_t group = 0;
    for_lanes(lanes, [&](unsigned l) {
      if (masks[l] == m) group |= 1u << l;
    });
    lanes &= ~group;
    f(group, m);
  }
}

}  // namespace gpuloom::ptx
