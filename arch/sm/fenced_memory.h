// SPDX-License-Identifier: Apache-2.0
// What fences and barriers ask of the load/store unit.
#pragma once
#include "arch/types.h"

namespace gpuloom::arch {

class FencedMemory {
 public:
  virtual ~FencedMemory() = default;
  // A fence beyond the block: what others wrote before has to be seen, so the L1 is forgotten (SASS:
  // CCTL.IVALL).
  virtual void fence() = 0;
  // A fence of the block takes a pass of shared memory at `at`.
  virtual void fence_pass(Cycle at, Cycle now) = 0;
};

}  // namespace gpuloom::arch
