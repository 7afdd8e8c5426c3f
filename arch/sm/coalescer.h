// SPDX-License-Identifier: Apache-2.0
// Which lines and sectors a warp's access touches. From compute capability 6.0 on an access costs the
// distinct 32-byte sectors that its lanes touch (CUDA Programming Guide, "Global Memory"), whatever their
// order.
#pragma once
#include <cstdint>

#include "arch/types.h"

namespace gpuloom::arch {

struct LineAccess {
  uint64_t line = 0;    // address of the 128-byte line
  uint8_t sectors = 0;  // mask
  uint8_t lanes = 0;    // lanes that hit it
  uint16_t bytes = 0;   // distinct bytes, where asked for
  bool full = false;    // each touched sector is covered whole, where asked for
  uint8_t whole = 0;    // mask of the sectors that are
  uint8_t turns = 0;    // of an atomic unit, where count_turns() was asked
  uint8_t most = 0;     // turns of the sector that takes most of them
};

struct Coalesced {
  unsigned lines = 0, sectors = 0;
  unsigned ideal_sectors = 0;  // that the same number of bytes would need if they lay together
  // Passes of the L1's data stage where all is there: as many as the banks of shared memory would take for
  // the same words, lanes of 16 bytes by quarter-warps. H200: l1tex__data_pipe_lsu_wavefronts of all 444
  // patterns of probes/strides.
  unsigned passes = 1;
  LineAccess line[2 * kWarpSize];
};

// `address` by lane, naturally aligned accesses of `lane_bytes`; lines in the order in which lanes first
// touch them. `cover`: count the distinct bytes (stores). Misaligned addresses are allowed (cp.async never
// is): a lane then touches every sector it overlaps.
void coalesce(const uint64_t* address, uint32_t lanes, unsigned lane_bytes, bool cover, Coalesced& out);

// Turns of an atomic unit for each of the lines that coalesce() found: in one turn it takes one lane for each
// word of a sector (H200: probes/memory, atomics: reductions of a warp to 1, 2, 4 and 8 words side by side
// take 46, 23, 12 and 4.6 cycles, to 2, 4 and 8 sectors of a line as many as to one word).
void count_turns(const uint64_t* address, uint32_t lanes, unsigned lane_bytes, Coalesced& out);

// cp.async of 16 bytes a lane past the L1. What a line of global memory gives to a line of shared memory is
// asked for together as far as each sector goes to one sector; where pieces of 16 bytes make it go to two, it
// is asked for once more (H200: probes/copies: 16 bytes from an odd place to an even one, or rows that are
// odd multiples of 16 bytes apart in shared memory). The L1 counts the sectors of shared memory that each
// line of global memory fills.
void coalesce_copy(const uint64_t* from, const uint32_t* to, uint32_t lanes, Coalesced& out);

// Cycles of the tag stage for the lines: of each of its four banks one a cycle; `low` and `high` say which
// bits of a line's number make the bank's.
unsigned tag_cycles(const Coalesced& lines, uint32_t low, uint32_t high);

}  // namespace gpuloom::arch
