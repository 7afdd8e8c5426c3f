// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.22 tanh
//
//   tanh.approx.f32  d, a;     relative error 2^-11
#include "ptx/exec/row_loop.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/approx.h"

namespace gpuloom::ptx {
namespace {

constexpr LaneFn kTanh = per_unit<numeric::TanhApprox>();

}  // namespace

void register_floating_tanh(IsaBuilder& isa) {
  isa.instruction("tanh", "9.7.3.22", "Hyperbolic tangent.");
  isa.form("tanh.approx.f32 d, a").since("7.0").needs("sm_75").op(OpClass::mufu).meaning(kTanh);
}

}  // namespace gpuloom::ptx
