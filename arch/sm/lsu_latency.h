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

constexpr unsigned minus(unsigned a, unsigned b) { return a > b ? a - b : 0; }

}  // namespace gpuloom::arch
