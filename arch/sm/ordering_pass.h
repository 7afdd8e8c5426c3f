// SPDX-License-Identifier: Apache-2.0
// A pass of the shared-memory path that orders instead of accessing: those that come close together take one.
#pragma once
#include "arch/types.h"

namespace gpuloom::arch {

class OrderingPass {
 public:
  // Whether the one at `at` shares the last pass, which begins less than `together` cycles before or after
  // it.
  bool joins(Cycle at, Cycle together) {
    if (some_ && (at > begun_ ? at - begun_ : begun_ - at) < together) return true;
    some_ = true;
    begun_ = at;
    return false;
  }

 private:
  Cycle begun_ = 0;
  bool some_ = false;
};

}  // namespace gpuloom::arch
