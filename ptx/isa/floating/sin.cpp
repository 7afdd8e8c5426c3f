// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.18 sin
//
//   sin.approx{.ftz}.f32  d, a;
//   sin.f32               d, a;     before PTX 1.4: sin.approx.ftz
//
// Absolute error 2^-20.5 in [-pi, pi].
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/folded.h"

namespace gpuloom::ptx {
namespace {

LaneFn sin(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane(
              [](float a) { return numeric::folded<Ftz, numeric::sine_of, numeric::sin_approx<Ftz>>(a); });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::SineApprox<false>>(); }, use.has(".ftz"));
}

constexpr LaneFn kOld = per_unit<numeric::SineApprox<false>>();

}  // namespace

void register_floating_sin(IsaBuilder& isa) {
  isa.instruction("sin", "9.7.3.18", "Sine.");
  isa.form("sin.approx{.ftz}.f32 d, a").since("1.4").op(OpClass::sincos).meaning(sin);
  isa.form("sin.f32 d, a").op(OpClass::sincos).meaning(kOld);
}

}  // namespace gpuloom::ptx
