// SPDX-License-Identifier: Apache-2.0
// What of a loop's body decides whether ptxas unrolls it.
#pragma once
#include "ptx/passes/draft.h"
#include "ptx/passes/loop_region.h"

namespace gpuloom::ptx {

struct LoopBody {
  unsigned units = 0, budget = 0;
  bool orders_memory = false;  // fences, and changes of the number of registers
  bool together = false;       // what lanes, warps or copies do together: atomics, exchanges, barriers
  bool barrier = false;
  bool guarded = false;        // by a branch, or an access to memory or an atomic by PTX
  bool nested = false;         // a branch within what another one skips, perhaps as guards
  bool stores_loaded = false;  // to global memory what it has loaded from there, not by a stepped pointer
};

// Machine instructions of a class, as ptxas counts them before it has chosen any: many where it becomes many
// or a call.
unsigned units_of(OpClass op);

LoopBody body_of(const Draft& draft, const Flow& flow, const LoopRegion& region);

// A load or a store; not of a fragment (wmma).
bool is_plain_access(const Instr& in);
// x = x + constant, unguarded, 32 or 64 bits.
bool is_step(const Draft& draft, uint32_t instruction, int64_t& by);

constexpr unsigned kUnitsOfLatch = 3;  // step, comparison, branch

}  // namespace gpuloom::ptx
