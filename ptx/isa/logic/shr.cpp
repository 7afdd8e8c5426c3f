// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.9 shr
//
//   shr.type  d, a, b;     .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 }
//
// Signed types fill with the sign, the others with zero. b is 32 bits wide whatever the type; it clamps to
// the width. Of a constant amount of a 16-bit shift, the lower 16 bits count, as for shl.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn shr(const FormUse& use) {
  if (is_short_amount(use) && is_signed(use.type()))
    return per_lane([](int16_t a, uint32_t b) -> int16_t { return numeric::shift_right(a, b & 0xffffu); });
  if (is_short_amount(use))
    return per_lane([](uint16_t a, uint32_t b) -> uint16_t { return numeric::shift_right(a, b & 0xffffu); });
  return by_type<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, uint32_t b) -> T { return numeric::shift_right(a, b); });
  });
}

}  // namespace

void register_logic_shr(IsaBuilder& isa) {
  isa.instruction("shr", "9.7.8.9", "Shift right, filling with the sign or zeros.");
  isa.form("shr.type d, a, b:u32")
      .set(".type", ".b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64")
      .op(shift_class)
      .meaning(shr);
}

}  // namespace gpuloom::ptx
