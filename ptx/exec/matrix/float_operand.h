// SPDX-License-Identifier: Apache-2.0
// Matrices of low-precision floats taken apart for the dot products of multiply().
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "ptx/exec/lane_loop.h"
#include "ptx/exec/matrix/multiply.h"
#include "ptx/numeric/block_dot.h"

namespace gpuloom::ptx {

inline numeric::FloatFormat float_format(Type type) {
  switch (type) {
    case Type::kF16:
      return numeric::kFormatF16;
    case Type::kBf16:
      return numeric::kFormatBf16;
    case Type::kTf32:
      return numeric::kFormatTf32;
    case Type::kE4m3:
      return numeric::kFormatE4m3;
    case Type::kE5m2:
      return numeric::kFormatE5m2;
    default:
      return numeric::kFormatF32;
  }
}

// A zero's exponent: the sum of two stays below those of all other products and fits 16 bits.
inline constexpr int32_t kZeroShort = -8000;

// Value, and exponent as numeric::unpack gives it (kZeroShort of zero), of each element. An infinity or NaN
// counts as zero here: what it makes of a cell is decided apart.
struct FloatOperand {
  alignas(64) float value[kMaxElements];
  alignas(64) int16_t exponent[kMaxElements];
  bool special;  // some element is infinite or NaN
  int most;      // the largest exponent

  void take(const uint32_t* codes, int count, Type type) {
    switch (type) {
      case Type::kF16:
        return take_narrow<5, 10, true>(codes, count);
      case Type::kBf16:
        return take_wide<16>(codes, count);
      case Type::kTf32:  // f32 registers of which the hardware reads the upper 19 bits (measured:
                         // mma.m16n8k8.f32.tf32.lowbits)
        return take_wide<0, 13>(codes, count);
      case Type::kE4m3:
        return take_narrow<4, 3, false>(codes, count);
      case Type::kE5m2:
        return take_narrow<5, 2, true>(codes, count);
      default:
        return take_wide<0>(codes, count);
    }
  }

 private:
  // Formats with a narrower exponent than f32.
  template <int kExponentBits, int kFractionBits, bool kHasInfinity>
  void take_narrow(const uint32_t* codes, int count) {
    constexpr int32_t kTop = (1 << kExponentBits) - 1, kBias = kTop >> 1;
    constexpr int32_t kFraction = (1 << kFractionBits) - 1;
    constexpr int32_t kSpecial = kHasInfinity ? kTop << kFractionBits : kTop << kFractionBits | kFraction;
    uint32_t specials = 0;
    int32_t largest = kZeroShort;
    GPULOOM_LANE_LOOP
    for (int i = 0; i < count; ++i) {
      const auto code = static_cast<int32_t>(codes[i]);
      const int32_t field = (code >> kFractionBits) & kTop;
      const uint32_t off = (code & kSpecial) == kSpecial ? ~0u : 0u;
      const int32_t whole =
          ((code & kFraction) | (field != 0 ? kFraction + 1 : 0)) & static_cast<int32_t>(~off);
      const int32_t power = (field != 0 ? field : 1) - kBias;
      const auto sign = static_cast<uint32_t>(code >> (kFractionBits + kExponentBits)) << 31;
      const float unit =
          std::bit_cast<float>(static_cast<uint32_t>(power - kFractionBits + 127) << 23 | sign);
      value[i] = static_cast<float>(whole) * unit;
      const int32_t e = whole == 0 ? kZeroShort : power;
      exponent[i] = static_cast<int16_t>(e);
      largest = e > largest ? e : largest;
      specials |= off;
    }
    special = specials != 0;
    most = largest;
  }

  // Formats that are the upper part of an f32, whose lower kUnused bits do not count. Vectors by hand, since
  // GCC 12 leaves the loop scalar; `count` is a multiple of eight as the shapes of matrices are.
  template <int kShift, int kUnused = 0>
  void take_wide(const uint32_t* codes, int count) {
    constexpr int32_t kInfinity = numeric::kInf32, kUsed = static_cast<int32_t>(~((1u << kUnused) - 1));
    Eight specials{}, largest{};
    for (int i = 0; i < count; i += 8) {
      Eight code;
      std::memcpy(&code, codes + i, sizeof code);
      code = code << kShift & kUsed;
      const Eight off = (code & kInfinity) == kInfinity, finite = code & ~off,
                  magnitude = finite & 0x7fffffff;
      const Eight field = magnitude >> 23, power = field - 127 - (field == 0);
      std::memcpy(value + i, &finite, sizeof finite);
      const auto e = __builtin_convertvector(magnitude == 0 ? Eight{} + kZeroShort : power, EightShort);
      std::memcpy(exponent + i, &e, sizeof e);
      largest = magnitude > largest ? magnitude : largest;
      specials |= off;
    }
    int32_t any = 0, most_magnitude = 0;
    for (int i = 0; i < 8; ++i) {
      any |= specials[i];
      most_magnitude = largest[i] > most_magnitude ? largest[i] : most_magnitude;
    }
    special = any != 0;
    const int field = most_magnitude >> 23;
    most = most_magnitude == 0 ? kZeroShort : (field != 0 ? field : 1) - 127;
  }

  using Eight = int32_t __attribute__((vector_size(32)));
  using EightShort = int16_t __attribute__((vector_size(16)));
};

}  // namespace gpuloom::ptx
