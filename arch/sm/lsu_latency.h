// SPDX-License-Identifier: Apache-2.0
// Parts of a memory instruction's latency that several files of the load/store unit count with.
#pragma once
#include "arch/types.h"

namespace gpuloom::arch {

// Cycles from issue to the address unit at the earliest; part of every latency in sm.operations.
constexpr Cycle kFront = 2;

// Of an L1 path's latency: what passes before a miss leaves the SM. The rest passes after its answer. Guess:
// half.
constexpr unsigned before_miss(unsigned latency) { return latency / 2; }

// From the moment at which what a warp writes is in the buffer of writes, or on its way, to the warp's leave
// to end. H200: a warp that stores and exits drains for 22 cycles (strided_read, vecadd, copy_u8 and others
// alike).
constexpr Cycle kTaken = 9;

constexpr unsigned minus(unsigned a, unsigned b) { return a > b ? a - b : 0; }

}  // namespace gpuloom::arch
