// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.13 rcp
//
//   rcp.approx{.ftz}.f32  d, a;
//   rcp.rnd{.ftz}.f32     d, a;     IEEE 754     .rnd = { .rn, .rz, .rm, .rp }
//   rcp.rnd.f64           d, a;
//   rcp{.f32, .f64}       d, a;     before PTX 1.4: rcp.approx.ftz (.f32), rcp.rn (.f64)
//   rcp.approx.ftz.f64   d, a;          9.7.3.14: upper word only, relative error 2^-20
#include "ptx/exec/row_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"
#include "ptx/numeric/directed64.h"
#include "ptx/numeric/folded.h"

namespace gpuloom::ptx {
namespace {

LaneFn rcp_approx(const FormUse& use) {
  if (is_constant(use, 1))
    return by_flags(
        []<bool Ftz>() {
          return per_active_lane([](float a) {
            return numeric::folded<Ftz, numeric::reciprocal_of, numeric::rcp_approx<Ftz>>(a);
          });
        },
        use.has(".ftz"));
  return by_flags([]<bool Ftz>() { return per_unit<numeric::RcpApprox<Ftz>>(); }, use.has(".ftz"));
}

LaneFn rcp_f32(const FormUse& use) {
  return by_pair_mode(
      use, []<Rounding R, bool Ftz>() { return per_lane([](float a) { return numeric::rcp<R, Ftz>(a); }); });
}

LaneFn rcp_f64(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), []<Rounding R>() {
    if constexpr (R != Rounding::kNearestEven) return per_lane_or_exact<numeric::DirectedRcp<R>>();
    return per_lane([](double a) { return numeric::rcp<R>(a); });
  });
}

constexpr LaneFn kOld = per_unit<numeric::RcpApprox<true>>();

constexpr LaneFn kApproxF64 = per_lane([](double a) { return numeric::rcp_approx_ftz(a); });

}  // namespace

void register_floating_rcp(IsaBuilder& isa) {
  isa.instruction("rcp", "9.7.3.13", "Reciprocal of a floating-point value.");
  isa.form("rcp.approx{.ftz}.f32 d, a").since("1.4").op(special_function_class).meaning(rcp_approx);
  isa.form("rcp.rnd{.ftz}.f32 d, a")
      .set(".rnd", ".rn .rz .rm .rp")
      .since("1.4")
      .needs("sm_20")
      .op(OpClass::rcp_f32)
      .meaning(rcp_f32);
  isa.form("rcp.f32 d, a").op(OpClass::mufu).meaning(kOld);
  isa.form("rcp{.rnd}.f64 d, a").set(".rnd", ".rn .rz .rm .rp").op(OpClass::rcp_f64).meaning(rcp_f64);
  isa.form("rcp.approx.ftz.f64 d, a").since("2.1").needs("sm_20").op(OpClass::mufu).meaning(kApproxF64);
}

}  // namespace gpuloom::ptx
