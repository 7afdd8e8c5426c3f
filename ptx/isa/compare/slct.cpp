// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.6.4 slct
//
//   slct.dtype.s32        d, a, b, c;     .dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64,
//   .f32, .f64 } slct{.ftz}.dtype.f32  d, a, b, c;
//
// d = c >= 0 ? a : b; a NaN selects b, -0 and (with .ftz) subnormals select a.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/bits.h"

namespace gpuloom::ptx {
namespace {

LaneFn slct_s32(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(use.type(".dtype"), []<class T>(T) {
    return per_lane([](T a, T b, int32_t c) -> T { return c >= 0 ? a : b; });
  });
}

LaneFn slct_f32(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(use.type(".dtype"), [&]<class T>(T) {
    return by_flags(
        []<bool Ftz>() {
          return per_lane([](T a, T b, float c) -> T { return numeric::flush_if<Ftz>(c) >= 0.0f ? a : b; });
        },
        use.has(".ftz"));
  });
}

constexpr const char* kTypes = ".b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 .f32 .f64";

OpClass slct_class(const FormUse& use) {
  return bits(use.type(".dtype")) == 64 ? OpClass::sel64 : (use.has(".s32") ? OpClass::sel : OpClass::fsel);
}

}  // namespace

void register_compare_slct(IsaBuilder& isa) {
  isa.instruction("slct", "9.7.6.4", "Select between two values by the sign of a third.");
  isa.form("slct.dtype.s32 d:.dtype, a:.dtype, b:.dtype, c:s32")
      .set(".dtype", kTypes)
      .op(slct_class)
      .meaning(slct_s32);
  isa.form("slct{.ftz}.dtype.f32 d:.dtype, a:.dtype, b:.dtype, c:f32")
      .set(".dtype", kTypes)
      .op(slct_class)
      .meaning(slct_f32);
}

}  // namespace gpuloom::ptx
