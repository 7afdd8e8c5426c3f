// SPDX-License-Identifier: Apache-2.0
// Where the lanes of a global access would lie if their bytes lay together (ideal.coalescing).
#pragma once
#include <cstdint>

namespace gpuloom::arch {

// Moves the addresses of `lanes` together, `lane_bytes` each, in the order of lanes. Accesses that lie beside
// each other stay apart, so that no more is found in caches than before: where runs of elements lie a fixed
// distance apart, as a matrix or an array of structures has it, the tile that the warps walk over is
// transposed in place. Where there is no such pattern, they go to where the first lane is.
void pack_lanes(uint64_t* address, uint32_t lanes, unsigned lane_bytes);

}  // namespace gpuloom::arch
