// SPDX-License-Identifier: Apache-2.0
// What a compiler does with loops and short blocks: part of a lowering profile, which has the values
// (configs/lowering). Without one nothing is unrolled, and no block becomes guarded instructions.
#pragma once

namespace gpuloom::ptx {

// Units of a block's instructions up to which it is unrolled by four (unroll_find.cpp says what has how
// many).
struct UnrollHabits {
  unsigned units = 0;              // without loads
  unsigned units_per_shared = 0;   // more for each load of shared memory...
  unsigned units_most = 0;         // ...up to these
  unsigned units_with_global = 0;  // with a load of global memory
};

// Machine instructions up to which a conditional block becomes guarded ones (if_convert.cpp says which
// count).
struct PredicateHabits {
  unsigned skipped = 0;        // of a block that a branch skips
  unsigned skipped_loads = 0;  // of one where loads of global memory gain by it
  unsigned one_side = 0;       // of each side of an if-else
};

struct Habits {
  UnrollHabits unroll;
  PredicateHabits predicate;
};

}  // namespace gpuloom::ptx
