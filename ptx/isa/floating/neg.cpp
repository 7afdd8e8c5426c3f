// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.10 neg
//
//   neg{.ftz}.f32  d, a;
//   neg.f64        d, a;
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

LaneFn neg_f32(const FormUse& use) {
  return by_flags([]<bool Ftz>() { return per_lane([](float a) { return numeric::neg<Ftz>(a); }); },
                  use.has(".ftz"));
}

constexpr LaneFn kNegF64 = per_lane([](double a) { return numeric::neg(a); });

}  // namespace

void register_floating_neg(IsaBuilder& isa) {
  isa.instruction("neg", "9.7.3.10", "Negation of a floating-point value.");
  isa.form("neg{.ftz}.f32 d, a").op(OpClass::fadd).meaning(neg_f32);
  isa.form("neg.f64 d, a").op(OpClass::dadd).meaning(kNegF64);
}

}  // namespace gpuloom::ptx
