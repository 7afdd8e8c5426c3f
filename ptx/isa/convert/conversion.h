// SPDX-License-Identifier: Apache-2.0
// What the cvt files share: the widths of a use, and picking through a row conversion.
#pragma once
#include "ptx/exec/row_conversion.h"
#include "ptx/isa/pick.h"
#include "ptx/numeric/convert.h"

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

}  // namespace gpuloom::ptx
