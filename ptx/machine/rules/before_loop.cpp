// SPDX-License-Identifier: Apache-2.0
#include "ptx/machine/rules/before_loop.h"

namespace gpuloom::ptx {

// Out of the loop around b that has no loop inside, and of no other (SASS of two nested loops around a
// division by a parameter: I2F, MUFU, F2I stand in the outer one).
uint32_t before_invariant_loop(const Selection& s, uint32_t b, Place place) {
  const Flow& flow = s.flow();
  const RowFacts* row = s.facts(place);
  const uint32_t made = row != nullptr && row->def != UINT32_MAX ? s.block_of(row->def) : 0;
  uint32_t found = b;
  for (uint32_t header = flow.first_block[s.function()]; header <= b; ++header) {
    for (const uint32_t latch : flow.predecessors[header]) {
      if (latch < header || b > latch) continue;
      found = b;  // a loop inside the last one
      if (row != nullptr && row->def != UINT32_MAX && made >= header) continue;
      for (const uint32_t outside : flow.predecessors[header]) {
        if (outside < header && found == b) found = outside;
      }
    }
  }
  return found;
}

}  // namespace gpuloom::ptx
