// SPDX-License-Identifier: Apache-2.0
// The level of detail that derivatives ask for.
#pragma once

namespace gpuloom::ptx {

// log2 of the longer axis of the footprint in texels of level 0, whose extents are `extents`. The H200 takes
// the longest of dx, dy and 11/16 of their sum and difference, where a length is the longest component, 11/32
// of the next and 1/4 of the least, in 10 bits. That explains 94 to 100 % of the fetches of
// bench/silicon/probes/textures, and the others to 2/256 of a level: how the 10 bits round is not understood
// to the last.
float level_of_derivatives(const float* dx, const float* dy, const float* extents, unsigned axes);

}  // namespace gpuloom::ptx
