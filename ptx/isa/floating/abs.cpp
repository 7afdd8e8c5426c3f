// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.9 abs
//
//   abs{.ftz}.f32  d, a;
//   abs.f64        d, a;
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

LaneFn abs_f32(const FormUse& use) {
  return by_flags([]<bool Ftz>() { return per_lane([](float a) { return numeric::abs<Ftz>(a); }); },
                  use.has(".ftz"));
}

constexpr LaneFn kAbsF64 = per_lane([](double a) { return numeric::abs(a); });

}  // namespace

void register_floating_abs(IsaBuilder& isa) {
  isa.instruction("abs", "9.7.3.9", "Absolute value of a floating-point value.");
  isa.form("abs{.ftz}.f32 d, a").op(OpClass::fadd).meaning(abs_f32);
  isa.form("abs.f64 d, a").op(OpClass::dadd).meaning(kAbsF64);
}

}  // namespace gpuloom::ptx
