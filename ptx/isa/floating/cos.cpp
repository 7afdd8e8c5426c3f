// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.19 cos
//
//   cos.approx{.ftz}.f32  d, a;
//   cos.f32               d, a;     before PTX 1.4: cos.approx.ftz
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

LaneFn cos(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane(
              [](float a) { return numeric::folded<Ftz, numeric::cosine_of, numeric::cos_approx<Ftz>>(a); });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::SineApprox<true>>(); }, use.has(".ftz"));
}

constexpr LaneFn kOld = per_unit<numeric::SineApprox<true>>();

}  // namespace

void register_floating_cos(IsaBuilder& isa) {
  isa.instruction("cos", "9.7.3.19", "Cosine.");
  isa.form("cos.approx{.ftz}.f32 d, a").since("1.4").op(OpClass::sincos).meaning(cos);
  isa.form("cos.f32 d, a").op(OpClass::sincos).meaning(kOld);
}

}  // namespace gpuloom::ptx
