// SPDX-License-Identifier: Apache-2.0
// Lanes that an instruction with a mask brings together.
#include "ptx/exec/check/checks.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/simt.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

uint32_t sync_lanes(Warp& w, const Instr& in, uint32_t lanes, uint32_t mask) {
  uint32_t need = mask & ~w.exited;
  if ((need & ~lanes) == 0) return lanes;
  SimtState& s = w.simt;
  if (s.synced) {
    s.synced = false;
    return lanes;
  }
  const uint32_t here = static_cast<uint32_t>(&in - w.code);
  uint32_t same = lanes, elsewhere = 0;
  // Masks may name further lanes whose own masks name more: until nothing is added.
  for (const ConvergenceSet& set : s.sets) {
    if (set.wait != Wait::kLanes || !(set.lanes & need)) continue;
    if (set.pc == here && set.frame == s.frame) {
      same |= set.lanes;
      need |= set.wait_mask & ~w.exited;
    } else {
      elsewhere |= set.lanes;
    }
  }
  if (need & ~(same | elsewhere)) {  // somebody is missing: wait
    --w.executed;
    const uint32_t rest = w.lanes & ~lanes;
    ConvergenceSet waiting = current_set(w);
    waiting.lanes = lanes;
    waiting.pc = here;
    waiting.wait = Wait::kLanes;
    waiting.wait_mask = need;
    s.sets.push_back(waiting);
    w.lanes = rest;
    if (rest == 0) switch_set(w);
    return 0;
  }
  const bool barrier = in.op_class == static_cast<uint16_t>(OpClass::warpsync);
  if (elsewhere != 0 && barrier && w.launch->checks != nullptr)
    w.launch->checks->warp_synchronised(w, same | elsewhere);
  for (size_t k = 0; k < s.sets.size();) {
    ConvergenceSet& set = s.sets[k];
    if (set.wait != Wait::kLanes || !(set.lanes & need)) {
      ++k;
      continue;
    }
    set.wait = Wait::kNone;
    if (set.pc != here || set.frame != s.frame) {  // the same barrier at another place: goes on by itself
      set.synced = true;
      ++k;
      continue;
    }
    set.pc = w.pc;
    if (set.region == s.region) {
      w.lanes |= set.lanes;
      s.sets.erase(s.sets.begin() + static_cast<ptrdiff_t>(k));
    } else {
      ++k;
    }
  }
  return same;
}

}  // namespace gpuloom::ptx
