// SPDX-License-Identifier: Apache-2.0
// Turns between lanes of one warp that wait for each other. ptxas has a YIELD in loops that wait for what
// others write. An H200 lets all others of the warp go first there, at the first turn of the loop, and those
// that wait at a meeting point (BSYNC) pass it (bench/silicon/probes/locks). So a lock goes from lane to lane
// as fast as a lane takes and frees it.
#pragma once
#include <cstdint>

namespace gpuloom::ptx {

struct Warp;

// Instr::aux of a branch back in such a loop (ptx/passes/polling.h).
constexpr uint8_t kPollsAgain = 1;

// Lanes at meeting points pass them and go first, then the other sets, the current one last. True if there
// was another to go on with.
bool yield_to_all(Warp& w);

}  // namespace gpuloom::ptx
