// SPDX-License-Identifier: Apache-2.0
// wgmma.fence, commit_group and wait_group order nothing that the functional state could show: products are
// there at issue (wgmma_multiply.h). They bring the lanes of the warp together, as .aligned asks.
#pragma once
#include "ptx/exec/simt.h"
#include "ptx/exec/warp.h"

namespace gpuloom::ptx::wgmma {

inline void together(Warp& w, const Instr& in, uint32_t lanes) { sync_lanes(w, in, lanes, ~0u); }

}  // namespace gpuloom::ptx::wgmma
