// SPDX-License-Identifier: Apache-2.0
// What a request takes of the ports on its way to L2, in bytes. H200 (probes/ports), cycles of an SM's port
// of 32 bytes each: a read 1; a whole sector written 1.06, a whole line 4; 4 bytes of one sector 2, of each
// of a line's four sectors 5, as the mask of the bytes goes along; a reduction of a word 1.
#pragma once
#include <algorithm>
#include <bit>

#include "arch/systemc/memory_request.h"
#include "arch/types.h"

namespace gpuloom::arch {

inline unsigned request_bytes(const sim::MemoryRequest& request, unsigned header) {
  switch (request.op) {
    case sim::RequestOp::kWrite:
      return (static_cast<unsigned>(std::popcount(request.sectors)) + (request.full_sectors ? 0 : 1)) *
             kSectorBytes;
    case sim::RequestOp::kAtomic:
    case sim::RequestOp::kReduce:
      return std::max(1u, (request.bytes + kSectorBytes - 1) / kSectorBytes) * kSectorBytes;
    default:
      return header;
  }
}

}  // namespace gpuloom::arch
