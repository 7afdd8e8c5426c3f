// SPDX-License-Identifier: Apache-2.0
// Lanes for which an instruction takes effect.
#pragma once
#include "ptx/exec/warp.h"

namespace gpuloom::ptx {

// Of the current convergence set, those whose guard is on; all where there is none.
inline uint32_t lanes_on(const Warp& w, Place guard, bool negated) {
  if (!guard.present()) return w.lanes;
  const uint32_t p = predicate(w, guard);
  return w.lanes & (negated ? ~p : p);
}

}  // namespace gpuloom::ptx
