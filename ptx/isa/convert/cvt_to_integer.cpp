// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.21 cvt, floating point to integer
//
//   cvt.irnd{.ftz}{.sat}.dtype.atype  d, a;     .irnd  = { .rni, .rzi, .rmi, .rpi }
//                                               .dtype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 }
//                                               .atype = { .f16, .bf16, .f32, .f64 }
//
// Results clamp to the range of .dtype, with or without .sat.
#include "ptx/isa/convert/conversion.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

RowConversion to_integer(const FormUse& use) {
  return by_integer(use.type(".dtype"), [&]<class D>(D) {
    return by_format(use.type(".atype"), use.has(".ftz"), [&]<class S>(S) {
      return by_rounding(use.mod(".irnd"), []<Rounding R>() -> RowConversion {
        return row_conversion([](typename S::Row a) -> D { return numeric::to_integer<D, R>(S::value(a)); });
      });
    });
  });
}

void encode(const FormUse& use, Instr& in) { encode_conversion(in, to_integer(use), widths_of(use)); }

OpClass to_integer_class(const FormUse& use) {
  return bits(use.type(".dtype")) == 64 || use.type(".atype") == Type::kF64 ? OpClass::f2i64 : OpClass::f2i;
}

std::string check(const FormUse& use) {
  if (use.has(".ftz") && use.type(".atype") != Type::kF32) return ".ftz applies to .f32 only";
  if (use.has(".sat") && use.type(".atype") == Type::kBf16) return ".sat does not apply to .bf16";
  return bf16_byte_register(use);
}

}  // namespace

void register_convert_cvt_to_integer(IsaBuilder& isa) {
  isa.instruction("cvt", "9.7.9.21", "Convert a floating-point value to an integer.");
  isa.form("cvt.irnd{.ftz}{.sat}.dtype.atype d:.dtype, a:.atype")
      .set(".irnd", ".rni .rzi .rmi .rpi")
      .set(".dtype", kIntegerTypes)
      .set(".atype", ".f16 .bf16@7.8,sm_90 .f32 .f64")
      .relaxed()
      .check(check)
      .op(to_integer_class)
      .encode(encode)
      .meaning(converting);
}

}  // namespace gpuloom::ptx
