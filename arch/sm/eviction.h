// SPDX-License-Identifier: Apache-2.0
// What an instruction asks of L2's replacement (PTX ISA 9.7.9.2: eviction priorities, cache hints).
#pragma once
#include "arch/systemc/memory_request.h"
#include "ptx/exec/access.h"

namespace gpuloom::arch {

struct L2Hint {
  ptx::Eviction eviction = ptx::Eviction::kNormal;
  uint64_t policy = 0;  // where eviction is kPolicy
};

L2Hint l2_hint(const ptx::MemoryAccess& access);
// For one line: a fractional policy classes lines by a hash of their address, a range policy by where they
// lie.
sim::EvictHint evict_hint(const L2Hint& hint, uint64_t line);

}  // namespace gpuloom::arch
