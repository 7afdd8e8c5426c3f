// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.4 mad
//
//   mad.mode.type    d, a, b, c;   .mode = { .hi, .lo, .wide }
//                                  .type = { .u16, .u32, .u64, .s16, .s32, .s64 }
//   mad.hi.sat.s32   d, a, b, c;   .sat clamps the sum to [MIN, MAX]
//
// With .wide, d and c are twice as wide as a and b.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

using numeric::wide_of;

LaneFn mad_lo(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, T b, T c) -> T { return numeric::wrap_add(numeric::mul_lo(a, b), c); });
  });
}

LaneFn mad_hi(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, T b, T c) -> T { return numeric::wrap_add(numeric::mul_hi(a, b), c); });
  });
}

LaneFn mad_wide(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, T b, wide_of<T> c) { return numeric::wrap_add(numeric::mul_wide(a, b), c); });
  });
}

constexpr LaneFn kMadHiSat =
    per_lane([](int32_t a, int32_t b, int32_t c) { return numeric::add_sat(numeric::mul_hi(a, b), c); });

}  // namespace

void register_integer_mad(IsaBuilder& isa) {
  isa.instruction("mad", "9.7.1.4", "Multiply two integers and add a third.");
  isa.form("mad.lo.type d, a, b, c")
      .set(".type", ".u16 .u32 .u64 .s16 .s32 .s64")
      .op(multiply_class)
      .meaning(mad_lo);
  isa.form("mad.hi.type d, a, b, c")
      .set(".type", ".u16 .u32 .u64 .s16 .s32 .s64")
      .op(multiply_class)
      .meaning(mad_hi);
  isa.form("mad.hi.sat.type d, a, b, c").set(".type", ".s32").op(OpClass::imad_hi).meaning(kMadHiSat);
  isa.form("mad.wide.type d:u32, a, b, c:u32").set(".type", ".u16").op(multiply_class).meaning(mad_wide);
  isa.form("mad.wide.type d:s32, a, b, c:s32").set(".type", ".s16").op(multiply_class).meaning(mad_wide);
  isa.form("mad.wide.type d:u64, a, b, c:u64").set(".type", ".u32").op(multiply_class).meaning(mad_wide);
  isa.form("mad.wide.type d:s64, a, b, c:s64").set(".type", ".s32").op(multiply_class).meaning(mad_wide);
}

}  // namespace gpuloom::ptx
