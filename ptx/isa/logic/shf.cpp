// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.8.7 shf
//
//   shf.l.mode.b32  d, a, b, c;     .mode = { .clamp, .wrap }
//   shf.r.mode.b32  d, a, b, c;
//
// Shifts the 64-bit value b:a (a is its lower word) by c; .l gives the upper word, .r the lower. .mode says
// how c of 32 and more counts.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/integer/integer_class.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/integer.h"

namespace gpuloom::ptx {
namespace {

using numeric::ShiftMode;

template <ShiftMode M>
LaneFn funnel(bool left) {
  return left ? per_lane([](uint32_t a, uint32_t b, uint32_t c) { return numeric::shf_left<M>(a, b, c); })
              : per_lane([](uint32_t a, uint32_t b, uint32_t c) { return numeric::shf_right<M>(a, b, c); });
}

LaneFn shf(const FormUse& use) {
  return use.has(".wrap") ? funnel<ShiftMode::kWrap>(use.has(".l"))
                          : funnel<ShiftMode::kClamp>(use.has(".l"));
}

}  // namespace

void register_logic_shf(IsaBuilder& isa) {
  isa.instruction("shf", "9.7.8.7", "Funnel shift.");
  isa.form("shf.dir.mode.b32 d, a, b, c:u32")
      .set(".dir", ".l .r")
      .set(".mode", ".clamp .wrap")
      .since("3.1")
      .needs("sm_32")
      .op(OpClass::shift)
      .meaning(shf);
}

}  // namespace gpuloom::ptx
