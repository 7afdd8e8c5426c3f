// SPDX-License-Identifier: Apache-2.0
// What a thread's registers cannot hold.
#pragma once
#include <cstdint>

#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// schedule_and_allocate, and where that takes more than `most` registers, again with some values on the
// stack; `spilled` is the bytes that those take.
uint32_t allocate_with_spills(Graph& graph, uint32_t most, uint32_t& spilled);

}  // namespace gpuloom::ptx
