// SPDX-License-Identifier: Apache-2.0
// Which face of a cube map a direction meets, and where.
#pragma once
#include <cstdint>

namespace gpuloom::ptx {

struct CubePoint {
  unsigned face = 0;    // +x -x +y -y +z -z
  double s = 0, t = 0;  // normalised coordinates on the face
};
// ptxas scales a direction by the approximate reciprocal of its longest component (H200 SASS: FMNMX,
// MUFU.RCP, FMUL).
CubePoint cube_point(const float* direction);

struct CubeTexel {
  unsigned face = 0;
  int64_t s = 0, t = 0;
};
// The texel of a cube map with faces of `extent` that lies at (s, t), of which one may be one step outside of
// the face: then it is the texel across the edge.
CubeTexel across_edge(unsigned face, int64_t s, int64_t t, int64_t extent);

}  // namespace gpuloom::ptx
