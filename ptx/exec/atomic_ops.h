// SPDX-License-Identifier: Apache-2.0
// The operations of atom, red, red.async and cp.reduce.async.bulk on one location (PTX ISA 9.7.13.5).
#pragma once
#include <string_view>

#include "ptx/exec/access.h"
#include "ptx/ir/types.h"

namespace gpuloom::ptx {

// The function for `op` ("add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas") on values of
// `type`, applied to `elements` values side by side (vector forms); nullptr where the manual has no such
// operation. `in_global`: f32 add flushes subnormal inputs and results (9.7.13.5), f64 add keeps NaNs' bits.
// "add_low" adds the lower half of a packed pair and leaves the upper one: what the H200 does for .f16x2 and
// .bf16x2 with an explicit .shared (driver 580, ptxas 13.0; five cases of the conformance suite, all values),
// although the manual promises both halves. In another block's memory the same machine adds the 32-bit
// words (tests/conformance/grids): ptxas makes a load, an integer addition and a store of it.
AtomicFn atomic_op(std::string_view op, Type type, unsigned elements = 1, bool in_global = false);

// All operations in a fixed order, so that an instruction can name one in 8 bits.
struct AtomicEntry {
  std::string_view op;
  Type type = Type::kNone;
  unsigned elements = 1;
  AtomicFn fn = nullptr;         // outside of global memory
  AtomicFn global_fn = nullptr;  // in global memory
  unsigned element_bytes = 0;
  bool sums = false;  // adds floating-point numbers
};
// Index of an operation; UINT8_MAX where there is none.
uint8_t atomic_index(std::string_view op, Type type, unsigned elements = 1);
const AtomicEntry& atomic_entry(uint8_t index);
// Applies an operation to a location of 4 or 8 bytes at which other host threads do so too.
void apply_atomically(AtomicFn fn, void* location, unsigned bytes, const void* b, const void* c, void* old);

}  // namespace gpuloom::ptx
