// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.3.2 copysign
//
//   copysign.type  d, a, b;     .type = { .f32, .f64 }
//
// The magnitude of b with the sign of a.
#include "ptx/exec/lane_loop.h"
#include "ptx/isa/floating/floating.h"
#include "ptx/isa/pick.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/arith64.h"

namespace gpuloom::ptx {
namespace {

LaneFn copysign(const FormUse& use) {
  return by_type<float, double>(
      use.type(), []<class T>(T) { return per_lane([](T a, T b) -> T { return numeric::copysign(a, b); }); });
}

}  // namespace

void register_floating_copysign(IsaBuilder& isa) {
  isa.instruction("copysign", "9.7.3.2", "Copy the sign of one value to another.");
  isa.form("copysign.type d, a, b")
      .set(".type", ".f32 .f64")
      .since("2.0")
      .needs("sm_20")
      .op(OpClass::lop3)
      .meaning(copysign);
}

}  // namespace gpuloom::ptx
