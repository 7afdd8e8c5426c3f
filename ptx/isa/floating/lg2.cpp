// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.20 lg2
//
//   lg2.approx{.ftz}.f32  d, a;
//   lg2.f32               d, a;     before PTX 1.4: lg2.approx.ftz
//
// Absolute error 2^-22 near 1, relative error 2^-22 elsewhere.
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/folded.h"

namespace gpuloom::ptx {
namespace {

LaneFn lg2(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane([](float a) {
            return numeric::folded<Ftz, numeric::binary_logarithm_of, numeric::lg2_approx<Ftz>>(a);
          });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::Lg2Approx<Ftz>>(); }, use.has(".ftz"));
}

constexpr LaneFn kOld = per_unit<numeric::Lg2Approx<true>>();

}  // namespace

void register_floating_lg2(IsaBuilder& isa) {
  isa.instruction("lg2", "9.7.3.20", "Logarithm to base 2.");
  isa.form("lg2.approx{.ftz}.f32 d, a").since("1.4").op(special_function_class).meaning(lg2);
  isa.form("lg2.f32 d, a").op(OpClass::mufu).meaning(kOld);
}

}  // namespace gpuloom::ptx
