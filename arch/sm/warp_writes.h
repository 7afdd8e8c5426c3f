// SPDX-License-Identifier: Apache-2.0
// What the warp at a place of the SM has written beyond it. The load/store unit keeps this; fences, and the
// end of a warp, ask.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arch/types.h"

namespace gpuloom::arch {

struct WarpWrites {
  // Stores and atomics on their way, of earlier warps of this place too: fences wait for them.
  uint16_t unanswered = 0;
  // Of those, what the warp itself must outlive: what is in the queue, atomics whose result is not here.
  uint16_t unsent = 0;
  bool wrote = false, wrote_far = false;  // beyond the block, to L2's other side, since its last fence
  Cycle sent_at = 0;  // its last store leaves the SM then: a warp that has exited goes then

  // Another warp takes the place.
  void launch() {
    const uint16_t of_earlier = unanswered;
    *this = {};
    unanswered = of_earlier;
  }
  void issued() {
    ++unanswered;
    ++unsent;
    wrote = true;
  }
  // What has been taken for one leaves line by line, and may be answered so.
  void leaves_by(unsigned lines) { unsent = static_cast<uint16_t>(unsent + lines - 1); }
  void answered_by(unsigned lines) { unanswered = static_cast<uint16_t>(unanswered + lines - 1); }
  // One has its place on the way out at `at`. True: it was the last.
  bool sent(Cycle at) {
    sent_at = std::max(sent_at, at);
    return --unsent == 0;
  }
  // True: nothing is on its way any more.
  bool answered() { return --unanswered == 0; }
  void fenced() { wrote = wrote_far = false; }
};

using WarpWritesTable = std::vector<WarpWrites>;  // by warp of the SM

}  // namespace gpuloom::arch
