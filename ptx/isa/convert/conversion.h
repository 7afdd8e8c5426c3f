// SPDX-License-Identifier: Apache-2.0
// What the cvt files share: the widths of a use, and picking through a row conversion.
#pragma once
#include "ptx/exec/row_conversion.h"
#include "ptx/isa/pick.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/convert.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {

// Bytes of the register behind operand k, which cvt allows to be wider than its type; the type's own for
// immediates.
inline uint8_t register_bytes(const FormUse& use, unsigned k, Type type) {
  const unsigned declared = use.register_bits(k);
  return static_cast<uint8_t>(declared != 0 ? declared / 8 : bytes(type));
}

inline ConversionWidths widths_of(const FormUse& use, Type destination, Type source) {
  ConversionWidths w;
  w.source = static_cast<uint8_t>(bytes(source));
  w.source_register = register_bytes(use, 1, source);
  w.destination = static_cast<uint8_t>(bytes(destination));
  w.destination_register = register_bytes(use, 0, destination);
  w.destination_signed = is_signed(destination);
  return w;
}

inline ConversionWidths widths_of(const FormUse& use) {
  return widths_of(use, use.type(".dtype"), use.type(".atype"));
}
inline LaneFn converting(const FormUse& use) { return conversion_loop(widths_of(use)); }

// by_type over all integer types.
template <class Pick>
auto by_integer(Type type, Pick pick) {
  return by_type<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(type, pick);
}

constexpr const char* kIntegerTypes = ".u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64";

// A floating-point format: what a row holds, its value, and how a value or an integer is rounded to it.
struct F16 {
  using Row = uint16_t;
  static float value(uint16_t a) { return numeric::half_to_float(a); }
  template <Rounding R, class Int>
  static uint16_t from_integer(Int a) {
    return numeric::double_to_half<R>(numeric::integer_to_odd_double(a));
  }
};
struct Bf16 {
  using Row = uint16_t;
  static float value(uint16_t a) { return numeric::bf16_to_float(a); }
  template <Rounding R, class Int>
  static uint16_t from_integer(Int a) {
    return numeric::double_to_bf16<R>(numeric::integer_to_odd_double(a));
  }
};
struct F32 {
  using Row = float;
  static float value(float a) { return a; }
  template <Rounding R, class Int>
  static float from_integer(Int a) {
    return numeric::integer_to_float<R>(a);
  }
};
struct F32Ftz : F32 {
  static float value(float a) { return numeric::flush(a); }
};
struct F64 {
  using Row = double;
  static double value(double a) { return a; }
  template <Rounding R, class Int>
  static double from_integer(Int a) {
    return numeric::integer_to_double<R>(a);
  }
};

// pick(F16{}), ... for the type; `ftz` chooses F32Ftz.
template <class Pick>
auto by_format(Type type, bool ftz, Pick pick) {
  switch (type) {
    case Type::kF16:
      return pick(F16{});
    case Type::kBf16:
      return pick(Bf16{});
    case Type::kF64:
      return pick(F64{});
    default:
      return ftz ? pick(F32Ftz{}) : pick(F32{});
  }
}

// Those between bf16 and 8-bit integers want a register of 8 bits, where others take wider ones (ptxas 13.0).
inline std::string bf16_byte_register(const FormUse& use) {
  const Type d = use.type(".dtype"), a = use.type(".atype");
  const unsigned byte = bits(d) == 8 ? 0 : 1;
  if ((d != Type::kBf16 && a != Type::kBf16) || (bits(d) != 8 && bits(a) != 8)) return {};
  return use.function() == nullptr || use.register_bits(byte) <= 8
             ? std::string()
             : "conversions between .bf16 and 8-bit integers want a .b8 register";
}

}  // namespace gpuloom::ptx
