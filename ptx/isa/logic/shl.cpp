// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.8 shl
//
//   shl.type  d, a, b;     .type = { .b16, .b32, .b64 }
//
// b is 32 bits wide whatever the type; amounts of the width and more give zero. Of a constant amount of a
// 16-bit shift, the lower 16 bits count (H200, ptxas 13.0: shl.b16 by 0x00800001 shifts by one).
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn shl(const FormUse& use) {
  if (is_short_amount(use))
    return per_lane([](uint16_t a, uint32_t b) -> uint16_t { return numeric::shift_left(a, b & 0xffffu); });
  return by_width<uint16_t, uint32_t, uint64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, uint32_t b) -> T { return numeric::shift_left(a, b); });
  });
}

}  // namespace

void register_logic_shl(IsaBuilder& isa) {
  isa.instruction("shl", "9.7.8.8", "Shift left, filling with zeros.");
  isa.form("shl.type d, a, b:u32").set(".type", ".b16 .b32 .b64").op(shift_class).meaning(shl);
}

}  // namespace gpuloom::ptx
