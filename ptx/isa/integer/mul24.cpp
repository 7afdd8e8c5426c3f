// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.5 mul24
//
//   mul24.mode.type  d, a, b;     .mode = { .hi, .lo }
//                                 .type = { .u32, .s32 }
//
// The low 24 bits of a and b; .lo gives bits 31..0 of the 48-bit product, .hi bits 47..16.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn mul24(const FormUse& use) {
  return by_type<uint32_t, int32_t>(use.type(), [&]<class T>(T) {
    return use.has(".hi") ? per_lane([](T a, T b) -> T { return numeric::mul24_hi(a, b); })
                          : per_lane([](T a, T b) -> T { return numeric::mul24_lo(a, b); });
  });
}

}  // namespace

void register_integer_mul24(IsaBuilder& isa) {
  isa.instruction("mul24", "9.7.1.5", "Multiply two 24-bit integers.");
  isa.form("mul24.mode.type d, a, b")
      .set(".mode", ".hi .lo")
      .set(".type", ".u32 .s32")
      .op(OpClass::imad)
      .meaning(mul24);
}

}  // namespace gpuloom::ptx
