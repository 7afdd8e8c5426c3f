// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/texture/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ptx/exec/texture/srgb_table.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

int32_t extended(ChannelFormat format, uint32_t raw) {
  switch (format) {
    case ChannelFormat::kS8:
      return static_cast<int8_t>(raw);
    case ChannelFormat::kS16:
      return static_cast<int16_t>(raw);
    default:
      return static_cast<int32_t>(raw);
  }
}

// NaNs keep their bits.
uint32_t widened(uint32_t half) {
  if ((half & 0x7c00) == 0x7c00) return (half & 0x8000) << 16 | 0x7f800000 | (half & 0x3ff) << 13;
  return std::bit_cast<uint32_t>(numeric::half_to_float(static_cast<uint16_t>(half)));
}

float quotient(int32_t value, int32_t greatest) {
  return static_cast<float>(static_cast<double>(value) / greatest);
}

bool read_as_number(const TextureView& view) {
  const ChannelFormat f = view.state->format;
  return !is_float(f) && f != ChannelFormat::kU32 && f != ChannelFormat::kS32 && !view.sampler->read_integer;
}

// The border's colour is kept in the texture's own format; integers that are read as they are take its bits.
int32_t border_integer(const TextureView& view, unsigned channel, int32_t greatest) {
  const float value = view.sampler->border[channel];
  const float low = is_signed(view.state->format) ? -1.0f : 0.0f;
  const double bounded = static_cast<double>(std::clamp(std::isnan(value) ? 0.0f : value, low, 1.0f));
  return static_cast<int32_t>(std::floor(bounded * greatest + 0.5));
}

int32_t greatest_of(ChannelFormat format) {
  switch (format) {
    case ChannelFormat::kU8:
      return 255;
    case ChannelFormat::kS8:
      return 127;
    case ChannelFormat::kU16:
      return 65535;
    default:
      return 32767;
  }
}

// The border's colour is in linear light: the texel that comes nearest to it stands for it.
uint32_t srgb_code(const TextureView& view, TexelPlace place, unsigned channel) {
  if (!place.border) return raw_channel(view, place.offset, channel);
  const float value = view.sampler->border[channel];
  const double x = static_cast<double>(std::clamp(std::isnan(value) ? 0.0f : value, 0.0f, 1.0f));
  const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<uint32_t>(std::lround(encoded * 255));
}

float linear_of_srgb(uint32_t code) { return static_cast<float>(kLinearOfSrgb[code]) / 16384.0f; }

uint32_t border_channel(const TextureView& view, unsigned channel) {
  const ChannelFormat format = view.state->format;
  if (read_as_number(view) && format == ChannelFormat::kU8 && view.sampler->srgb && channel < 3)
    return std::bit_cast<uint32_t>(linear_of_srgb(srgb_code(view, {0, true}, channel)));
  if (read_as_number(view)) {
    const int32_t greatest = greatest_of(format);
    return std::bit_cast<uint32_t>(quotient(border_integer(view, channel, greatest), greatest));
  }
  const float value = view.sampler->border[channel];
  if (format == ChannelFormat::kF16) {
    const float half = numeric::half_to_float(numeric::float_to_half(value));
    return std::bit_cast<uint32_t>(half);
  }
  const auto bits = std::bit_cast<uint32_t>(value);
  const unsigned width = 8 * bytes_of(format);
  return static_cast<uint32_t>(extended(format, width == 32 ? bits : bits & ((1u << width) - 1)));
}

struct Term {
  double value = 0;  // of a texel
  int exponent = 0;  // of the value, or of the range that it belongs to
  int weight = 0;
  bool reached = false;
};

// Texels are floats, and sums of them stay far within the doubles: a product with a power of two is what
// std::ldexp gives, and the exponent field what std::frexp does, in a tenth of their time.
double power_of_two(int n) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + n) << 52); }
double scaled_by(double value, int n) { return value * power_of_two(n); }
int exponent_of(double value) {
  return value == 0 ? 0 : static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1022;
}

double cut(double value, int exponent, int bits) { return std::trunc(scaled_by(value, bits - exponent)); }

double multiple(double value, int unit) { return scaled_by(std::floor(scaled_by(value, -unit)), unit); }

constexpr int kLeastSrgb = -6;  // exponent of the least range of sRGB codes

// Sums of floats; `keep` bits of mantissa in the result. Sums of sRGB passes are aligned by steps of 4 bits.
struct FloatSum {
  int keep, aligned, carried;
  bool srgb;
  int reference = -100000;  // exponent of the largest texel so far
  double sum = 0;
  bool infinite_up = false, infinite_down = false, nan = false;

  void add_pass(const Term* terms, unsigned count) {
    int exponent = INT32_MIN;
    for (unsigned k = 0; k < count; ++k) {
      const Term& t = terms[k];
      if (t.weight == 0 && t.reached && !std::isfinite(t.value)) nan = true;
      if (t.weight == 0) continue;
      if (std::isnan(t.value)) nan = true;
      if (std::isinf(t.value)) (t.value > 0 ? infinite_up : infinite_down) = true;
      if (t.value == 0 || !std::isfinite(t.value)) continue;
      exponent = std::max(exponent, t.exponent);
    }
    if (exponent == INT32_MIN) return;
    double pass = 0;  // exact: 28 bits times weights of 8
    for (unsigned k = 0; k < count; ++k)
      if (terms[k].weight != 0 && std::isfinite(terms[k].value))
        pass += terms[k].weight * cut(terms[k].value, exponent, aligned);
    pass = scaled_by(pass, exponent - aligned - 8);
    reference = std::max(exponent, reference);
    if (srgb) {
      const int unit = (reference - kLeastSrgb) / 4 * 4 + kLeastSrgb - 16;
      sum = multiple(sum, unit);
      pass = multiple(pass, unit);
    } else if (sum != 0) {
      sum = multiple(sum, reference - carried);
    }
    sum += pass;
  }

  uint32_t result(int least_exponent) const {
    if (nan || (infinite_up && infinite_down)) return keep == 11 ? 0x7fffe000 : 0x7fffffff;
    if (infinite_up) return 0x7f800000;
    if (infinite_down) return 0xff800000;
    if (sum == 0) return 0;
    const int e = std::max(exponent_of(sum), least_exponent);
    const double scaled = std::floor(scaled_by(std::fabs(sum), keep - e) + 0.5);
    const double rounded = scaled_by(scaled, e - keep);
    if (keep == 11 && rounded >= 65536) return sum < 0 ? 0xff800000 : 0x7f800000;
    return std::bit_cast<uint32_t>(static_cast<float>(sum < 0 ? -rounded : rounded));
  }
};

uint32_t float_sum(const TextureView& view, const FilterPass* passes, unsigned count, unsigned channel) {
  const ChannelFormat format = view.state->format;
  if (format == ChannelFormat::kF32 && count == 1 && passes[0].count == 1 && passes[0].weight[0] == 256) {
    const uint32_t whole = converted_channel(view, passes[0].texel[0], channel);
    const uint32_t magnitude = whole & 0x7fffffff;
    if (magnitude != 0 && magnitude <= 0x7f800000)
      return whole;  // itself; zeros lose their sign, NaNs their bits
  }
  const bool half = format != ChannelFormat::kF32;  // sRGB is summed as halves are
  const int aligned = format == ChannelFormat::kF32 ? 28 : format == ChannelFormat::kF16 ? 15 : 8;
  FloatSum sum{.keep = half ? 11 : 24,
               .aligned = aligned,
               .carried = aligned + 9,
               .srgb = format == ChannelFormat::kU8};
  for (unsigned p = 0; p < count; ++p) {
    Term terms[4];
    for (unsigned k = 0; k < passes[p].count; ++k) {
      terms[k].weight = passes[p].weight[k];
      terms[k].reached = passes[p].reached[k];
      terms[k].value =
          static_cast<double>(std::bit_cast<float>(converted_channel(view, passes[p].texel[k], channel)));
      terms[k].exponent = exponent_of(terms[k].value);
      if (format == ChannelFormat::kU8)
        terms[k].exponent = srgb_exponent(srgb_code(view, passes[p].texel[k], channel)) + kLeastSrgb;
    }
    sum.add_pass(terms, passes[p].count);
  }
  return sum.result(half ? -13 : -125);
}

uint32_t integer_sum(const TextureView& view, const FilterPass* passes, unsigned count, unsigned channel) {
  const ChannelFormat format = view.state->format;
  const int32_t greatest = format == ChannelFormat::kS8 ? 127 : format == ChannelFormat::kS16 ? 32767 : 65535;
  int64_t sum = 0;
  for (unsigned p = 0; p < count; ++p)
    for (unsigned k = 0; k < passes[p].count; ++k) {
      const TexelPlace at = passes[p].texel[k];
      int32_t value = 0;
      if (at.border) {
        value = border_integer(view, channel, greatest_of(format)) * (format == ChannelFormat::kU8 ? 257 : 1);
      } else {
        value = extended(format, raw_channel(view, at.offset, channel));
        if (format == ChannelFormat::kU8) value *= 257;
        if (format == ChannelFormat::kS16) value = std::max(value, -32767);
      }
      sum += int64_t{passes[p].weight[k]} * value;
    }
  if (format == ChannelFormat::kS8) {
    const int64_t wide = (8 * sum + (sum >> 4) + (sum >> 12) + 4) >> 3;
    return std::bit_cast<uint32_t>(quotient(static_cast<int32_t>(std::max<int64_t>(wide, -32767)), 32767));
  }
  return std::bit_cast<uint32_t>(quotient(static_cast<int32_t>((sum + 128) >> 8), greatest));
}

}  // namespace

uint32_t raw_channel(const TextureView& view, uint64_t offset, unsigned channel) {
  const uint8_t* at = view.texels + offset;
  switch (bytes_of(view.state->format)) {
    case 1:
      return at[channel];
    case 2: {
      uint16_t v;
      std::memcpy(&v, at + channel * 2, 2);
      return v;
    }
    default: {
      uint32_t v;
      std::memcpy(&v, at + channel * 4, 4);
      return v;
    }
  }
}

uint32_t converted_channel(const TextureView& view, TexelPlace place, unsigned channel) {
  if (place.border) return border_channel(view, channel);
  const uint32_t raw = raw_channel(view, place.offset, channel);
  const ChannelFormat format = view.state->format;
  if (format == ChannelFormat::kF16) return widened(raw);
  if (!read_as_number(view)) return static_cast<uint32_t>(extended(format, raw));
  const int32_t value = extended(format, raw);
  switch (format) {
    case ChannelFormat::kU8:
      if (view.sampler->srgb && channel < 3) return std::bit_cast<uint32_t>(linear_of_srgb(raw));
      return std::bit_cast<uint32_t>(quotient(value, 255));
    case ChannelFormat::kS8:
      return std::bit_cast<uint32_t>(quotient(std::max(value, -127), 127));
    case ChannelFormat::kU16:
      return std::bit_cast<uint32_t>(quotient(value, 65535));
    default:
      return std::bit_cast<uint32_t>(quotient(std::max(value, -32767), 32767));
  }
}

void pass_weights(int all, int x, int y, FilterPass& pass) {
  const int right = weight_product(x, all), left = all - right;
  pass.weight[3] = weight_product(right, y);
  pass.weight[1] = right - pass.weight[3];
  pass.weight[0] = weight_product(left, 256 - y);
  pass.weight[2] = left - pass.weight[0];
  for (unsigned k = 0; k < 4; ++k) pass.reached[k] = all != 0 && (k % 2 == 0 || x != 0) && (k < 2 || y != 0);
}

uint32_t filtered_channel(const TextureView& view, const FilterPass* passes, unsigned count,
                          unsigned channel) {
  if (is_float(view.state->format) || (view.sampler->srgb && channel < 3))
    return float_sum(view, passes, count, channel);
  return integer_sum(view, passes, count, channel);
}

}  // namespace gpuloom::ptx
