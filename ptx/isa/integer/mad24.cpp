// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.6 mad24
//
//   mad24.mode.type   d, a, b, c;     .mode = { .hi, .lo }
//                                     .type = { .u32, .s32 }
//   mad24.hi.sat.s32  d, a, b, c;     .sat clamps the sum to [MIN, MAX]
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

LaneFn mad24(const FormUse& use) {
  return by_type<uint32_t, int32_t>(use.type(), [&]<class T>(T) {
    return use.has(".hi")
               ? per_lane([](T a, T b, T c) -> T { return numeric::wrap_add(numeric::mul24_hi(a, b), c); })
               : per_lane([](T a, T b, T c) -> T { return numeric::wrap_add(numeric::mul24_lo(a, b), c); });
  });
}

constexpr LaneFn kMad24HiSat =
    per_lane([](int32_t a, int32_t b, int32_t c) { return numeric::add_sat(numeric::mul24_hi(a, b), c); });

}  // namespace

void register_integer_mad24(IsaBuilder& isa) {
  isa.instruction("mad24", "9.7.1.6", "Multiply two 24-bit integers and add a third value.");
  isa.form("mad24.mode.type d, a, b, c")
      .set(".mode", ".hi .lo")
      .set(".type", ".u32 .s32")
      .op(OpClass::imad)
      .meaning(mad24);
  isa.form("mad24.hi.sat.s32 d, a, b, c").op(OpClass::imad).meaning(kMad24HiSat);
}

}  // namespace gpuloom::ptx
