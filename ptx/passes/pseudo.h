// SPDX-License-Identifier: Apache-2.0
// Instructions that the passes insert and PTX has no word for.
#pragma once
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

// ops[0] = local memory offset of this activation's frame + imm. Instr::type says the width (kU32 or kU64).
void local_address(Warp& warp, const Instr& in, uint32_t lanes);
// ops[0] = ops[1] + imm. Instr::type says the width.
void offset_address(Warp& warp, const Instr& in, uint32_t lanes);

// Lanes with one mask in ops[0] go on by themselves, one group after another, until they meet at the target
// (WARPSYNC.EXCLUSIVE, WARPSYNC.COLLECTIVE; kind kBranch).
void split_lanes(Warp& warp, const Instr& in, uint32_t lanes);
// Jumps to the target where all lanes have the mask in ops[0] and are those that it names, together (kind
// kBranch).
void skip_split(Warp& warp, const Instr& in, uint32_t lanes);
// The way to the meeting point (ENDCOLLECTIVE; kind kBranch), and the way on from it.
void end_split(Warp& warp, const Instr& in, uint32_t lanes);
inline bool splits(const Instr& in) { return in.fn == split_lanes; }
// Whether the lanes may go on behind a branch that has no guard.
inline bool may_fall_through(const Instr& in) { return in.fn == split_lanes || in.fn == skip_split; }

// The member mask of a .sync instruction: its last operand.
inline Place member_mask(const Instr& in) {
  Place mask;
  for (const Place place : in.ops)
    if (place.present()) mask = place;
  return mask;
}

// Stands at a meeting point of divergent branches (kind kReconverge).
void reconverge_lanes(Warp& warp, const Instr& in, uint32_t lanes);

}  // namespace gpuloom::ptx
