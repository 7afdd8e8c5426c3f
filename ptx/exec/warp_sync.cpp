// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/warp_sync.h"

#include "ptx/exec/fault.h"

namespace gpuloom::ptx {

uint32_t sync_members(Warp& w, const Instr& in, uint32_t lanes, Place mask) {
  const uint32_t* masks = source<uint32_t>(w, mask);
  uint32_t need = 0;
  for_lanes(lanes, [&](unsigned l) {
    need |= masks[l];
    if (!(masks[l] >> l & 1))
      fault(w, in, l, FaultKind::kIllegal, "executes a .sync instruction whose member mask leaves it out");
  });
  return sync_lanes(w, in, lanes, need);
}

}  // namespace gpuloom::ptx
