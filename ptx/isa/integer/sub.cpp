// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.2 sub
//
//   sub.type       d, a, b;     .type = { .u16, .u32, .u64, .s16, .s32, .s64 }
//   sub{.sat}.s32  d, a, b;     .sat clamps to [MIN, MAX]
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn sub(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return numeric::wrap_sub(a, b); }); });
}

constexpr LaneFn kSubSat = per_lane([](int32_t a, int32_t b) { return numeric::sub_sat(a, b); });

}  // namespace

void register_integer_sub(IsaBuilder& isa) {
  isa.instruction("sub", "9.7.1.2", "Subtract two integers.");
  isa.form("sub.type d, a, b").set(".type", ".u16 .u32 .u64 .s16 .s32 .s64").op(add_class).meaning(sub);
  isa.form("sub.sat.type d, a, b").set(".type", ".s32").op(OpClass::iadd).meaning(kSubSat);
}

}  // namespace gpuloom::ptx
