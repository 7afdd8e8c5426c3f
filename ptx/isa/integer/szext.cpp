// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.21 szext
//
//   szext.mode.type  d, a, b;     .mode = { .clamp, .wrap }
//                                 .type = { .u32, .s32 }
//
// Sign or zero extension of the low b bits of a; .mode says how b of 32 and more counts.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

using numeric::ShiftMode;

LaneFn szext(const FormUse& use) {
  return by_type<uint32_t, int32_t>(use.type(), [&]<class T>(T) {
    return use.has(".wrap")
               ? per_lane([](T a, uint32_t b) -> T { return numeric::szext<T, ShiftMode::kWrap>(a, b); })
               : per_lane([](T a, uint32_t b) -> T { return numeric::szext<T, ShiftMode::kClamp>(a, b); });
  });
}

}  // namespace

void register_integer_szext(IsaBuilder& isa) {
  isa.instruction("szext", "9.7.1.21", "Sign or zero extension from a bit.");
  isa.form("szext.mode.type d, a, b:u32")
      .set(".mode", ".clamp .wrap")
      .set(".type", ".u32 .s32")
      .since("7.6")
      .needs("sm_70")
      .op(OpClass::sgxt)
      .meaning(szext);
}

}  // namespace gpuloom::ptx
