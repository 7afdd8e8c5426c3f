// SPDX-License-Identifier: Apache-2.0
// Matrices of low-precision floats taken apart for the dot products of multiply().
#pragma once
#include <cstdint>

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

// Magnitude (shifted up, or down where the shift is negative), exponent as numeric::unpack gives it, and sign
// (0 or -1) of each element.
struct FloatOperand {
  alignas(32) int32_t magnitude[kMaxElements];
  alignas(32) int32_t exponent[kMaxElements];
  alignas(32) int32_t sign[kMaxElements];
  bool special;  // some element is infinite or NaN

  void take(const uint32_t* codes, int count, Type type, int shift) {
    switch (type) {
      case Type::kF16:
        return take_as<5, 10, true, 0>(codes, count, shift);
      case Type::kBf16:
        return take_as<8, 7, true, 0>(codes, count, shift);
      case Type::kTf32:  // f32 registers of which the hardware reads the upper 19 bits (measured:
                         // mma.m16n8k8.f32.tf32.lowbits)
        return take_as<8, 10, true, 13>(codes, count, shift);
      case Type::kE4m3:
        return take_as<4, 3, false, 0>(codes, count, shift);
      case Type::kE5m2:
        return take_as<5, 2, true, 0>(codes, count, shift);
      default:
        return take_as<8, 23, true, 0>(codes, count, shift);
    }
  }

 private:
  template <int kExponentBits, int kFractionBits, bool kHasInfinity, int kUnused>
  void take_as(const uint32_t* codes, int count, int shift) {
    constexpr int32_t kTop = (1 << kExponentBits) - 1, kBias = kTop >> 1;
    constexpr int32_t kFraction = (1 << kFractionBits) - 1;
    const int up = shift > 0 ? shift : 0, down = up - shift;
    int32_t specials = 0;
    for (int i = 0; i < count; ++i) {
      const auto code = static_cast<int32_t>(codes[i] >> kUnused);
      const int32_t fraction = code & kFraction, field = (code >> kFractionBits) & kTop;
      const int32_t whole = fraction | (field != 0 ? kFraction + 1 : 0);
      magnitude[i] = whole << up >> down;
      exponent[i] = whole == 0 ? numeric::kZeroExponent : (field != 0 ? field : 1) - kBias;
      sign[i] = -((code >> (kFractionBits + kExponentBits)) & 1);
      specials |=
          kHasInfinity
              ? -(field == kTop)
              : -((code & (kTop << kFractionBits | kFraction)) == (kTop << kFractionBits | kFraction));
    }
    special = specials != 0;
  }
};

}  // namespace gpuloom::ptx
