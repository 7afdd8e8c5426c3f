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

// When arrays in local memory that an index reaches become registers: as long as what compares the index and
// moves the words does not take longer than all of the program. In units of an instruction.
struct IndexedHabits {
  unsigned words = 0;  // of the longest array
  double access = 0;   // of an access by an index...
  double word = 0;     // ...and for each word of the array
  double memory = 0;   // of an access to memory in the program; all else is one
  double loop = 1;     // how often a loop's body is taken to run...
  double nested = 1;   // ...and one within it, for each turn of that
};

struct Habits {
  UnrollHabits unroll;
  PredicateHabits predicate;
  IndexedHabits indexed;
};

}  // namespace gpuloom::ptx
