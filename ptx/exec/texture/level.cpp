// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/level.h"

#include <algorithm>
#include <cmath>

#include "ptx/exec/texture/sample.h"

namespace gpuloom::ptx {
namespace {

// 256 * log2 of 1 + k / 256, as an H200 has it (bench/silicon/probes/textures, case 124).
// clang-format off
constexpr uint8_t kLog2[256] = {
    0, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 18, 19, 20, 22, 23, 24, 26, 27, 28, 30, 31, 32, 34, 35, 36, 38,
    39, 40, 42, 43, 44, 45, 47, 48, 49, 50, 52, 53, 54, 55, 57, 58, 59, 60, 62, 63, 64, 65, 66, 68, 69, 70,
    71, 72, 74, 75, 76, 77, 78, 79, 81, 82, 83, 84, 85, 86, 88, 89, 90, 91, 92, 93, 94, 95, 97, 98, 99, 100,
    101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122,
    123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163,
    164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182,
    183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200,
    201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218,
    218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234,
    235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249, 250,
    251, 251, 252, 253, 253, 254, 255, 255};
// clang-format on

// Cut to 9 bits behind the leading one.
double cut(double value) {
  if (value == 0) return 0;
  int e = 0;
  const double m = std::frexp(value, &e);
  return std::ldexp(std::trunc(std::ldexp(m, 10)), e - 10);
}

// The longest component, 11/32 of the next, 1/4 of the least.
double length(const double* v, unsigned axes) {
  double s[3] = {};
  for (unsigned d = 0; d < axes; ++d) s[d] = std::fabs(v[d]);
  std::sort(s, s + 3);
  return s[2] + s[1] * (11.0 / 32) + s[0] / 4;
}

int log2_in_256ths(double value) {
  if (!(value > 0)) return -64 * 256;
  int e = 0;
  const double m = std::frexp(value, &e);
  return (e - 1) * 256 + kLog2[static_cast<unsigned>((2 * m - 1) * 256)];
}

}  // namespace

float level_of_derivatives(const float* dx, const float* dy, const float* extents, unsigned axes) {
  double a[3] = {}, b[3] = {}, sum[3] = {}, difference[3] = {};
  for (unsigned d = 0; d < axes; ++d) {
    const double extent = static_cast<double>(extents[d]);
    a[d] = cut(static_cast<double>(dx[d]) * extent);
    b[d] = cut(static_cast<double>(dy[d]) * extent);
    sum[d] = cut((a[d] + b[d]) * (11.0 / 16));
    difference[d] = cut((a[d] - b[d]) * (11.0 / 16));
  }
  const double longest = std::max(std::max(length(a, axes), length(b, axes)),
                                  std::max(length(sum, axes), length(difference, axes)));
  if (!std::isfinite(longest)) return longest > 0 ? 64.0f : -64.0f;
  return static_cast<float>(std::clamp(log2_in_256ths(longest), -64 * 256, 64 * 256)) / 256.0f;
}

int level_in_256ths(const SamplerState& sampler, float level, unsigned levels) {
  const auto fixed = [](float value) {
    if (std::isnan(value)) return 0;
    return static_cast<int>(std::clamp(value, -64.0f, 64.0f) * 256.0f);
  };
  const int least = std::max(0, fixed(sampler.min_level));
  int at = fixed(level) + fixed(sampler.level_bias);
  at = std::max(std::min(at, fixed(sampler.max_level)), least);
  return std::clamp(at, 0, (static_cast<int>(levels) - 1) * 256);
}

}  // namespace gpuloom::ptx
