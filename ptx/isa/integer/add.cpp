// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.1 add
//
//   add.type       d, a, b;     .type = { .u16, .u32, .u64, .s16, .s32, .s64, .u16x2, .s16x2 }
//   add{.sat}.s32  d, a, b;     .sat clamps to [MIN, MAX]
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn add(const FormUse& use) {
  return by_width<uint16_t, uint32_t, uint64_t>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return numeric::wrap_add(a, b); }); });
}

constexpr LaneFn kAdd16x2 = per_lane([](uint32_t a, uint32_t b) {
  return (((a & 0xffff0000u) + (b & 0xffff0000u)) & 0xffff0000u) | ((a + b) & 0xffffu);
});

constexpr LaneFn kAddSat = per_lane([](int32_t a, int32_t b) { return numeric::add_sat(a, b); });

}  // namespace

void register_integer_add(IsaBuilder& isa) {
  isa.instruction("add", "9.7.1.1", "Add two integers.");
  isa.form("add.type d, a, b").set(".type", ".u16 .u32 .u64 .s16 .s32 .s64").op(add_class).meaning(add);
  isa.form("add.sat.type d, a, b").set(".type", ".s32").op(OpClass::iadd).meaning(kAddSat);
  isa.form("add.type d, a, b")
      .set(".type", ".u16x2 .s16x2")
      .since("8.0")
      .needs("sm_90")
      .op(OpClass::vsimd)
      .meaning(kAdd16x2);
}

}  // namespace gpuloom::ptx
