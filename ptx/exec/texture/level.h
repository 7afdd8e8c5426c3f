// SPDX-License-Identifier: Apache-2.0
// The level of detail that derivatives ask for.
#pragma once

namespace gpuloom::ptx {

// log2 of the longer axis of the footprint in texels of level 0, whose extents are `extents`, in 1/256. The
// H200 takes the longest of dx, dy and 11/16 of their sum and difference, where a length is the longest
// component, 11/32 of the next and 1/4 of the least, in mantissas of 10 bits: equal to the last bit
// but for the 3D footprints that tests/conformance/textures names.
float level_of_derivatives(const float* dx, const float* dy, const float* extents, unsigned axes);

}  // namespace gpuloom::ptx
