// SPDX-License-Identifier: Apache-2.0
// What a thread's registers cannot hold.
#pragma once
#include <cstdint>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// A value that has been put away and is back in a register for so many operations is not put away again, and
// a predicate's uses so near share what brings it back (save_predicates.cpp): a guess.
constexpr uint32_t kNear = 6;

// schedule_and_allocate, and where that takes more than `most` registers, again with some values on the
// stack; `spilled` is the bytes that those take.
uint32_t allocate_with_spills(Graph& graph, uint32_t most, uint32_t& spilled);

}  // namespace gpuloom::ptx
