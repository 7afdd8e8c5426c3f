// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.20 bfi
//
//   bfi.type  d, a, b, c, e;     .type = { .b32, .b64 }
//
// b with its field of e bits from bit c replaced by the low bits of a. c and e are 32 bits wide and count
// modulo 256.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn bfi(const FormUse& use) {
  return by_width<uint32_t, uint64_t>(use.type(), []<class T>(T) {
    return per_lane([](T a, T b, uint32_t c, uint32_t e) -> T { return numeric::bfi(a, b, c, e); });
  });
}

}  // namespace

void register_integer_bfi(IsaBuilder& isa) {
  isa.instruction("bfi", "9.7.1.20", "Bit field insert.");
  isa.form("bfi.type d, a, b, c:u32, e:u32")
      .set(".type", ".b32 .b64")
      .since("2.0")
      .op(OpClass::bitfield)
      .meaning(bfi);
}

}  // namespace gpuloom::ptx
