// SPDX-License-Identifier: Apache-2.0
// Running one warp without time: plainly, counting by instruction, or with an observer.
#pragma once
#include "ptx/exec/functional.h"

namespace gpuloom::ptx {

// Each runs the current warp until it waits or has executed `budget` instructions.

// Adds the lanes of its instructions to `thread_instructions`.
void run_warp(Warp& w, uint64_t budget, uint64_t& thread_instructions);
// Adds to the counts by instruction as well.
void run_warp_counted(Warp& w, uint64_t budget, FunctionalResult& result);
// Counts by instruction where the result has room for it.
void run_warp_observed(Warp& w, uint64_t budget, FunctionalResult& result, AccessObserver& observer);

}  // namespace gpuloom::ptx
