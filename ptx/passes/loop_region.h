// SPDX-License-Identifier: Apache-2.0
// The blocks of a loop that stand one behind the other in the code. For the unroller alone.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/ir/program.h"
#include "ptx/passes/flow.h"

namespace gpuloom::ptx {

// It is entered at its first instruction, and only its last one, a guarded branch, goes back there.
struct LoopRegion {
  uint32_t header = 0, latch = 0;     // blocks
  uint32_t first = 0, last = 0;       // instructions
  std::vector<uint8_t> every_turn;    // by block from the header on: no branch goes past it
  std::vector<uint32_t> other_exits;  // blocks outside that it leaves to, but by the latch
  bool nested = false;                // a condition stands within what another one skips
  bool one_block() const { return header == latch; }
  bool runs_every_turn(uint32_t block) const { return every_turn[block - header] != 0; }
};

// Nothing where the block does not end such a loop.
std::optional<LoopRegion> find_region(const Program& program, const Flow& flow, uint32_t latch);

// Whether the row of that number is read where the loop is left, but by the latch.
bool lives_at_other_exits(const Liveness& live, const LoopRegion& region, uint32_t row);

}  // namespace gpuloom::ptx
