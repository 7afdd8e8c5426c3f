// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/cube.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ptx/numeric/mufu.h"

namespace gpuloom::ptx {

namespace {

struct FaceAxes {
  int major, s, s_sign, t, t_sign;
};
constexpr FaceAxes kFaces[6] = {{0, 2, -1, 1, -1}, {0, 2, 1, 1, -1}, {1, 0, 1, 2, 1},
                                {1, 0, 1, 2, -1},  {2, 0, 1, 1, -1}, {2, 0, -1, 1, -1}};

}  // namespace

// The faces' axes are those of the programming guide's table of cube maps (section "Cubemap Textures").
CubePoint cube_point(const float* direction) {
  const float ax = std::fabs(direction[0]), ay = std::fabs(direction[1]), az = std::fabs(direction[2]);
  const float scale = numeric::mufu::rcp(std::fmax(az, std::fmax(ax, ay)));
  const float x = direction[0] * scale, y = direction[1] * scale, z = direction[2] * scale;
  const float bx = std::fabs(x), by = std::fabs(y), bz = std::fabs(z);
  float s = 0, t = 0;
  unsigned face = 0;
  if (bz >= bx && bz >= by) {
    face = z < 0 ? 5 : 4;
    s = z < 0 ? -x : x, t = -y;
  } else if (by >= bx) {
    face = y < 0 ? 3 : 2;
    s = x, t = y < 0 ? -z : z;
  } else {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z, t = -y;
  }
  return {face, (static_cast<double>(s) + 1) * 0.5, (static_cast<double>(t) + 1) * 0.5};
}

CubeTexel across_edge(unsigned face, int64_t s, int64_t t, int64_t extent) {
  const FaceAxes& from = kFaces[face];
  int64_t at[3] = {};  // centres of texels, in half texels: a face is at distance `extent`
  at[from.major] = face % 2 == 0 ? extent : -extent;
  at[from.s] = from.s_sign * (2 * s + 1 - extent);
  at[from.t] = from.t_sign * (2 * t + 1 - extent);
  const int over = std::abs(at[from.s]) > extent ? from.s : std::abs(at[from.t]) > extent ? from.t : -1;
  if (over < 0) return {face, s, t};
  at[from.major] += at[from.major] > 0 ? -1 : 1;
  at[over] += at[over] > 0 ? -1 : 1;
  const unsigned next = static_cast<unsigned>(over) * 2 + (at[over] < 0 ? 1 : 0);
  const FaceAxes& to = kFaces[next];
  return {next, (to.s_sign * at[to.s] + extent - 1) / 2, (to.t_sign * at[to.t] + extent - 1) / 2};
}

}  // namespace gpuloom::ptx
