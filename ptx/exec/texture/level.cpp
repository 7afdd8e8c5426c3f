// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/level.h"

#include <algorithm>
#include <cmath>

#include "ptx/exec/texture/sample.h"

namespace gpuloom::ptx {
namespace {

// 256 * log2 of 1 + k / 256, as an H200 has it (tests/conformance/textures, case 124).
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

constexpr int kBits = 10;  // of a mantissa, the leading one included

int exponent_of(double value) {
  int e = 0;
  std::frexp(value, &e);
  return e;
}

double cut(double value) {
  if (value == 0) return 0;
  const int e = exponent_of(value) - kBits;
  return std::ldexp(std::trunc(std::ldexp(value, -e)), e);
}

// a + b, where the lesser loses what lies more than a bit below the mantissa of the greater.
double sum_of(double a, double b) {
  if (a == 0 || b == 0) return a + b;
  const int e = std::max(exponent_of(a), exponent_of(b)) - kBits - 1;
  return cut(std::ldexp(std::trunc(std::ldexp(a, -e)) + std::trunc(std::ldexp(b, -e)), e));
}

// value * factor / 2^shift: `drop` bits of the product of mantissa and factor are rounded off, halves up.
double product(double value, int factor, int drop, int shift) {
  if (value == 0) return 0;
  const int e = exponent_of(value) - kBits;
  return cut(
      std::ldexp(std::floor(std::ldexp(std::ldexp(value, -e) * factor, -drop) + 0.5), e + drop - shift));
}

// A component of a derivative in texels. The multiplier leaves out the partial products below 2^6 of 10 by 10
// bits and adds 7 * 2^6 for them. Extents of more than 10 bits are cut: a guess, as 1000 was the greatest
// that was measured beside powers of 2.
double in_texels(float derivative, float extent) {
  const double d = std::fabs(static_cast<double>(derivative)), w = static_cast<double>(extent);
  if (std::isnan(d) || d == 0) return 0;
  if (std::isinf(d)) return static_cast<double>(derivative);
  const int d_exponent = exponent_of(d) - kBits, w_exponent = exponent_of(w) - kBits;
  const auto d_bits = static_cast<uint32_t>(std::ldexp(d, -d_exponent)),
             w_bits = static_cast<uint32_t>(std::ldexp(w, -w_exponent));
  uint32_t sum = 7u << 6;
  for (int k = 0; k < kBits; ++k)
    if ((w_bits >> k & 1) != 0) sum += d_bits << k & ~63u;
  const double value = cut(std::ldexp(sum, d_exponent + w_exponent));
  return derivative < 0 ? -value : value;
}

struct Lengths {
  double v[3] = {};  // magnitudes of the components, greatest first

  explicit Lengths(const double* of) {
    for (unsigned d = 0; d < 3; ++d) v[d] = std::fabs(of[d]);
    std::sort(v, v + 3, [](double a, double b) { return a > b; });
  }
  // The greatest, 11/32 of the next, 1/4 of the least.
  double whole() const { return v[0] + product(v[1], 11, 3, 5) + v[2] / 4; }
  // 11/16 of that.
  double reduced() const {
    return product(v[0], 11, 3, 4) + product(v[1], 121, 6, 9) + product(v[2], 11, 3, 6);
  }
};

int log2_in_256ths(double value) {
  if (!(value > 0)) return -64 * 256;
  int e = 0;
  const double m = std::frexp(value, &e);
  return (e - 1) * 256 + kLog2[static_cast<unsigned>((2 * m - 1) * 256)];
}

}  // namespace

// The ellipse of a footprint is measured in four directions: both derivatives, and their sum and difference,
// which are longer by the square root of 2, of which 11/16 is the inverse.
float level_of_derivatives(const float* dx, const float* dy, const float* extents, unsigned axes) {
  double a[3] = {}, b[3] = {}, sum[3] = {}, difference[3] = {};
  for (unsigned d = 0; d < axes; ++d) {
    a[d] = in_texels(dx[d], extents[d]);
    b[d] = in_texels(dy[d], extents[d]);
    if (std::isinf(a[d]) || std::isinf(b[d])) return 64.0f;
    sum[d] = sum_of(a[d], b[d]);
    difference[d] = sum_of(a[d], -b[d]);
  }
  const double longest = std::max(std::max(Lengths(a).whole(), Lengths(b).whole()),
                                  std::max(Lengths(sum).reduced(), Lengths(difference).reduced()));
  return static_cast<float>(std::clamp(log2_in_256ths(longest), -64 * 256, 64 * 256)) / 256.0f;
}

int level_in_256ths(const SamplerState& sampler, float level, unsigned levels) {
  const auto fixed = [](float value) {
    if (std::isnan(value)) return 0;
    return static_cast<int>(std::clamp(value, -64.0f, 64.0f) * 256.0f);
  };
  const int least = std::max(0, fixed(sampler.min_level));
  int at = fixed(level) + fixed(std::min(sampler.level_bias, 15.0f));  // what the driver lets through
  at = std::max(std::min(at, fixed(sampler.max_level)), least);
  return std::clamp(at, 0, (static_cast<int>(levels) - 1) * 256);
}

}  // namespace gpuloom::ptx
