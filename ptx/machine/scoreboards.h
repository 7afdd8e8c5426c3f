// SPDX-License-Identifier: Apache-2.0
// Which of a warp's few scoreboards guards which operation.
#pragma once
#include "ptx/machine/graph.h"

namespace gpuloom::ptx {

// Sets the scoreboards of all operations of variable latency in `machine`, block by block, and what waits for
// proxy fences. What else waits for a scoreboard is up to set_control_codes.
void assign_scoreboards(const Graph& graph, MachineProgram& machine);

}  // namespace gpuloom::ptx
