// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.3 mul
//
//   mul.mode.type  d, a, b;     .mode = { .hi, .lo, .wide }
//                               .type = { .u16, .u32, .u64, .s16, .s32, .s64 }
//
// .wide gives the whole product in a register of twice the width, for 16- and 32-bit types.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn mul_lo(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return numeric::mul_lo(a, b); }); });
}

LaneFn mul_hi(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return numeric::mul_hi(a, b); }); });
}

LaneFn mul_wide(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) { return numeric::mul_wide(a, b); }); });
}

}  // namespace

void register_integer_mul(IsaBuilder& isa) {
  isa.instruction("mul", "9.7.1.3", "Multiply two integers.");
  isa.form("mul.lo.type d, a, b")
      .set(".type", ".u16 .u32 .u64 .s16 .s32 .s64")
      .op(multiply_class)
      .meaning(mul_lo);
  isa.form("mul.hi.type d, a, b")
      .set(".type", ".u16 .u32 .u64 .s16 .s32 .s64")
      .op(multiply_class)
      .meaning(mul_hi);
  isa.form("mul.wide.type d:u32, a, b").set(".type", ".u16").op(multiply_class).meaning(mul_wide);
  isa.form("mul.wide.type d:s32, a, b").set(".type", ".s16").op(multiply_class).meaning(mul_wide);
  isa.form("mul.wide.type d:u64, a, b").set(".type", ".u32").op(multiply_class).meaning(mul_wide);
  isa.form("mul.wide.type d:s64, a, b").set(".type", ".s32").op(multiply_class).meaning(mul_wide);
}

}  // namespace gpuloom::ptx
