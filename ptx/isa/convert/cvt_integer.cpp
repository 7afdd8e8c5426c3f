// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.21 cvt, integer to integer
//
//   cvt{.sat}.dtype.atype  d, a;     .dtype = .atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 }
//
// Extends as the sign of .atype says, truncates modulo 2^n, or clamps to the range of .dtype (.sat).
#include "ptx/isa/convert/conversion.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

// Sign-extended to an unsigned type that is narrower than its register: extended twice, differently.
bool extends_twice(const FormUse& use) {
  const ConversionWidths w = widths_of(use);
  return is_signed(use.type(".atype")) && !w.destination_signed && w.source < w.destination &&
         w.destination < w.destination_register;
}

RowConversion clamp(const FormUse& use) {
  return by_integer(use.type(".dtype"), [&]<class D>(D) {
    return by_integer(use.type(".atype"), []<class S>(S) {
      return row_conversion([](S a) -> D { return numeric::saturate_integer<D>(a); });
    });
  });
}

RowConversion sign_extend(const FormUse& use) {
  return by_type<uint16_t, uint32_t, uint64_t>(use.type(".dtype"), [&]<class D>(D) {
    return by_type<int8_t, int16_t, int32_t>(use.type(".atype"), []<class S>(S) {
      return row_conversion([](S a) -> D { return static_cast<D>(a); });
    });
  });
}

LaneFn truncate_or_extend(const FormUse& use) {
  if (extends_twice(use)) return converting(use);
  const ConversionWidths w = widths_of(use);
  const bool narrows = w.destination <= w.source;
  return extension_loop(w.source_register, narrows ? w.destination : w.source,
                        is_signed(use.type(narrows ? ".dtype" : ".atype")), w.destination_register);
}

void encode_extension(const FormUse& use, Instr& in) {
  if (extends_twice(use)) encode_conversion(in, sign_extend(use), widths_of(use));
}
void encode_clamp(const FormUse& use, Instr& in) { encode_conversion(in, clamp(use), widths_of(use)); }

// A plain change of width is a move, a byte permute or a shift; clamping takes the conversion unit.
OpClass extension_class(const FormUse& use) {
  const ConversionWidths w = widths_of(use);
  if (w.destination_register == 8) return w.source == 8 ? OpClass::mov64 : OpClass::shift;
  return w.destination >= 4 && w.source >= 4 ? OpClass::mov : OpClass::prmt;
}

}  // namespace

void register_convert_cvt_integer(IsaBuilder& isa) {
  isa.instruction("cvt", "9.7.9.21", "Convert between integer types.");
  isa.form("cvt.dtype.atype d:.dtype, a:.atype")
      .set(".dtype", kIntegerTypes)
      .set(".atype", kIntegerTypes)
      .relaxed()
      .op(extension_class)
      .encode(encode_extension)
      .meaning(truncate_or_extend);
  isa.form("cvt.sat.dtype.atype d:.dtype, a:.atype")
      .set(".dtype", kIntegerTypes)
      .set(".atype", kIntegerTypes)
      .relaxed()
      .op(OpClass::i2i)
      .encode(encode_clamp)
      .meaning(converting);
}

}  // namespace gpuloom::ptx
