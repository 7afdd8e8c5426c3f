// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.16 rsqrt
//
//   rsqrt.approx{.ftz}.f32  d, a;
//   rsqrt.f32               d, a;     before PTX 1.4: rsqrt.approx.ftz
//   rsqrt.approx.f64          d, a;
//   rsqrt.approx.ftz.f64      d, a;     9.7.3.17: upper word only, relative error 2^-20
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/folded.h"

namespace gpuloom::ptx {
namespace {

LaneFn rsqrt(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane([](float a) {
            return numeric::folded<Ftz, numeric::reciprocal_root_of, numeric::rsqrt_approx<Ftz>>(a);
          });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::RsqrtApprox<Ftz>>(); }, use.has(".ftz"));
}

constexpr LaneFn kOld = per_unit<numeric::RsqrtApprox<true>>();

constexpr LaneFn kF64 = per_lane([](double a) { return numeric::rsqrt_approx(a); });
constexpr LaneFn kF64Ftz = per_lane([](double a) { return numeric::rsqrt_approx_ftz(a); });

}  // namespace

void register_floating_rsqrt(IsaBuilder& isa) {
  isa.instruction("rsqrt", "9.7.3.16", "Reciprocal of the square root.");
  isa.form("rsqrt.approx{.ftz}.f32 d, a").since("1.4").op(special_function_class).meaning(rsqrt);
  isa.form("rsqrt.f32 d, a").op(OpClass::mufu).meaning(kOld);
  isa.form("rsqrt.approx.f64 d, a").since("1.4").op(OpClass::rsqrt_f64).meaning(kF64);
  isa.form("rsqrt.approx.ftz.f64 d, a").since("4.0").needs("sm_20").op(OpClass::mufu).meaning(kF64Ftz);
  isa.form("rsqrt.f64 d, a").op(OpClass::rsqrt_f64).meaning(kF64);
}

}  // namespace gpuloom::ptx
