// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.1.22 bmsk
//
//   bmsk.mode.b32  d, a, b;     .mode = { .clamp, .wrap }
//
// b ones from bit a; .mode says how values of 32 and more count.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

using numeric::ShiftMode;

LaneFn bmsk(const FormUse& use) {
  return use.has(".wrap")
             ? per_lane([](uint32_t a, uint32_t b) { return numeric::bmsk<ShiftMode::kWrap>(a, b); })
             : per_lane([](uint32_t a, uint32_t b) { return numeric::bmsk<ShiftMode::kClamp>(a, b); });
}

}  // namespace

void register_integer_bmsk(IsaBuilder& isa) {
  isa.instruction("bmsk", "9.7.1.22", "Bit field mask.");
  isa.form("bmsk.mode.b32 d, a:u32, b:u32")
      .set(".mode", ".clamp .wrap")
      .since("7.6")
      .needs("sm_70")
      .op(OpClass::bmsk)
      .meaning(bmsk);
}

}  // namespace gpuloom::ptx
