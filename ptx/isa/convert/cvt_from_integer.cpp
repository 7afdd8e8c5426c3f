// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.21 cvt, integer to floating point
//
//   cvt.frnd{.ftz}{.sat}.dtype.atype  d, a;     .frnd  = { .rn, .rz, .rm, .rp }
//                                               .dtype = { .f16, .bf16, .f32, .f64 }
//                                               .atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 }
//
// .sat clamps to [0, 1]; .ftz has nothing to flush.
#include "ptx/isa/convert/conversion.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

RowConversion from_integer(const FormUse& use) {
  return by_integer(use.type(".atype"), [&]<class S>(S) {
    return by_format(use.type(".dtype"), false, [&]<class D>(D) {
      if (use.has(".sat"))
        return row_conversion([](S a) -> typename D::Row {
          return D::template from_integer<Rounding::kNearestEven, S>(a > 0 ? 1 : 0);
        });
      return by_rounding(use.mod(".frnd"), []<Rounding R>() -> RowConversion {
        return row_conversion([](S a) -> typename D::Row { return D::template from_integer<R>(a); });
      });
    });
  });
}

void encode(const FormUse& use, Instr& in) { encode_conversion(in, from_integer(use), widths_of(use)); }

OpClass from_integer_class(const FormUse& use) {
  return bits(use.type(".atype")) == 64 || use.type(".dtype") == Type::kF64 ? OpClass::i2f64 : OpClass::i2f;
}

std::string check(const FormUse& use) {
  if (use.has(".ftz") && use.type(".dtype") != Type::kF32) return ".ftz applies to .f32 only";
  if (use.has(".sat") && use.type(".dtype") == Type::kBf16) return ".sat does not apply to .bf16";
  return bf16_byte_register(use);
}

}  // namespace

void register_convert_cvt_from_integer(IsaBuilder& isa) {
  isa.instruction("cvt", "9.7.9.21", "Convert an integer to a floating-point value.");
  isa.form("cvt.frnd{.ftz}{.sat}.dtype.atype d:.dtype, a:.atype")
      .set(".frnd", ".rn .rz .rm .rp")
      .set(".dtype", ".f16 .bf16@7.8,sm_90 .f32 .f64")
      .set(".atype", kIntegerTypes)
      .relaxed()
      .check(check)
      .op(from_integer_class)
      .encode(encode)
      .meaning(converting);
}

}  // namespace gpuloom::ptx
