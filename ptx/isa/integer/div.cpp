// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.8 div
//
//   div.type  d, a, b;     .type = { .u16, .u32, .u64, .s16, .s32, .s64 }
//
// Truncates towards zero. Division by zero gives all ones, as the hardware does; PTX leaves it open.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn div(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(use.type(), []<class T>(T) {
    return per_active_lane([](T a, T b) -> T { return numeric::divide(a, b); });
  });
}

OpClass div_class(const FormUse& use) {
  if (bits(use.type()) == 64) return OpClass::div_64;
  return is_signed(use.type()) ? OpClass::div_s32 : OpClass::div_u32;
}

}  // namespace

void register_integer_div(IsaBuilder& isa) {
  isa.instruction("div", "9.7.1.8", "Divide one integer by another.");
  isa.form("div.type d, a, b").set(".type", ".u16 .u32 .u64 .s16 .s32 .s64").op(div_class).meaning(div);
}

}  // namespace gpuloom::ptx
