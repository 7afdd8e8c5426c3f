// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.21 ex2
//
//   ex2.approx{.ftz}.f32  d, a;
//   ex2.f32               d, a;     before PTX 1.4: ex2.approx.ftz
//
// Error within 2 ulp.
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/folded.h"

namespace gpuloom::ptx {
namespace {

LaneFn ex2(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane([](float a) {
            return numeric::folded<Ftz, numeric::power_of_two_of, numeric::ex2_approx<Ftz>>(a);
          });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::Ex2Approx<Ftz>>(); }, use.has(".ftz"));
}

constexpr LaneFn kOld = per_unit<numeric::Ex2Approx<true>>();

}  // namespace

void register_floating_ex2(IsaBuilder& isa) {
  isa.instruction("ex2", "9.7.3.21", "Power of 2.");
  isa.form("ex2.approx{.ftz}.f32 d, a").since("1.4").op(special_function_class).meaning(ex2);
  isa.form("ex2.f32 d, a").op(OpClass::mufu).meaning(kOld);
}

}  // namespace gpuloom::ptx
