// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

// Marks the branches back (kPollsAgain) of loops that are left for what others write: an exit depends on an
// atomic's result, a load that is not weak, or a look at an mbarrier within the loop. It may depend on it by
// computation, or because a branch that asks it chooses the value. ptxas puts a YIELD into these, where their
// lanes may part, and into no others: not into loops that count, read weakly or by .cv, look at the clock, or
// sleep (74 loops, bench/silicon/probes/locks). `post_dominator` is by block.
void mark_polling_loops(Program& program, const Flow& flow, const Liveness& liveness,
                        const std::vector<uint32_t>& post_dominator);

}  // namespace gpuloom::ptx
