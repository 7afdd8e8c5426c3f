// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.9 rem
//
//   rem.type  d, a, b;     .type = { .u16, .u32, .u64, .s16, .s32, .s64 }
//
// The sign is that of a. Division by zero gives a, as the hardware does; PTX leaves it open.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn rem(const FormUse& use) {
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(use.type(), []<class T>(T) {
    return per_active_lane([](T a, T b) -> T { return numeric::remainder(a, b); });
  });
}

OpClass rem_class(const FormUse& use) {
  if (bits(use.type()) == 64) return OpClass::rem_64;
  return is_signed(use.type()) ? OpClass::rem_s32 : OpClass::rem_u32;
}

}  // namespace

void register_integer_rem(IsaBuilder& isa) {
  isa.instruction("rem", "9.7.1.9", "Remainder of an integer division.");
  isa.form("rem.type d, a, b").set(".type", ".u16 .u32 .u64 .s16 .s32 .s64").op(rem_class).meaning(rem);
}

}  // namespace gpuloom::ptx
