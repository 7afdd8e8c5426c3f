// SPDX-License-Identifier: Apache-2.0
// Instructions that the passes insert and PTX has no word for.
#pragma once
#include "ptx/ir/kernel.h"

namespace gpuloom::ptx {

// ops[0] = local memory offset of this activation's frame + imm. Instr::type says the width (kU32 or kU64).
void local_address(Warp& warp, const Instr& in, uint32_t lanes);
// ops[0] = ops[1] + imm. Instr::type says the width.
void offset_address(Warp& warp, const Instr& in, uint32_t lanes);

// Stands at a meeting point of divergent branches (kind kReconverge).
void reconverge_lanes(Warp& warp, const Instr& in, uint32_t lanes);

}  // namespace gpuloom::ptx
