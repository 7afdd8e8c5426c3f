// SPDX-License-Identifier: Apache-2.0
// Instructions that advise the caches and leave data alone: prefetch, applypriority, discard.
#pragma once
#include "ptx/exec/cta.h"
#include "ptx/exec/memory_flags.h"
#include "ptx/exec/memory_path.h"

namespace gpuloom::ptx {

// Fills Warp::access for the lanes whose address lies in global memory; others do nothing, as prefetches of
// bad addresses do. `bytes` a lane touches.
inline void hint_lanes(Warp& w, const Instr& in, uint32_t lanes, uint32_t bytes) {
  MemoryAccess& access = w.access;
  const MemoryFlags flags = MemoryFlags::unpack(in.target);
  const Pattern pattern = lane_addresses(w, in, in.ops[0], lanes, bytes);
  uint32_t valid = 0;
  for_lanes(lanes, [&](unsigned l) {
    uint64_t low, high, address = access.address[l];
    if (space_of_generic(address) == Space::kGlobal && w.launch->memory != nullptr &&
        w.launch->memory->locate(address, 1, low, high))
      valid |= 1u << l;
  });
  access.op = valid != 0 ? AccessOp::kPrefetch : AccessOp::kNone;
  access.space = Space::kGlobal;
  access.mixed_spaces = false;
  access.uniform_address = pattern == Pattern::kUniform;
  access.lane_bytes = static_cast<uint8_t>(bytes);
  access.cache = CacheOp::kDefault;
  access.ordering = Ordering::kWeak;
  access.scope = Scope::kNone;
  access.l1_eviction = flags.l1_eviction;
  access.l2_eviction = flags.l2_eviction;
  access.l2_prefetch = flags.l2_prefetch;
  access.lanes = valid;
}

}  // namespace gpuloom::ptx
