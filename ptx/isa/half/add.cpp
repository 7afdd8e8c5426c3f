// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.1 add, 9.7.5.1 (mixed precision)
//
//   add{.rnd}{.ftz}{.sat}.type  d, a, b;     .type = { .f16, .f16x2 }     .rnd = { .rn }
//   add{.rnd}.type              d, a, b;     .type = { .bf16, .bf16x2 }
//   add{.rnd}{.sat}.f32.atype   d, a, c;     .atype = { .f16, .bf16 }     .rnd = { .rn, .rz, .rm, .rp }
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

LaneFn add_f16(const FormUse& use) {
  return by_half_mode(use,
                      [&]<bool Ftz, Clamp16 C>() { return half_or_pair<numeric::add_f16<Ftz, C>>(use); });
}

LaneFn add_bf16(const FormUse& use) { return half_or_pair<numeric::add_bf16<Clamp16::kNone>>(use); }

LaneFn add_mixed(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), [&]<Rounding R>() {
    return by_flags(
        []<bool Sat, bool Bf16>() {
          return per_lane([](uint16_t a, float c) {
            const float wide = Bf16 ? numeric::bf16_to_float(a) : numeric::half_to_float(a);
            return numeric::add<R, false, Sat>(wide, c);
          });
        },
        use.has(".sat"), use.has(".bf16"));
  });
}

}  // namespace

void register_half_add(IsaBuilder& isa) {
  isa.instruction("add", "9.7.4.1", "Add two half-precision values.");
  isa.form("add{.rnd}{.ftz}{.sat}.type d, a, b")
      .set(".rnd", ".rn")
      .set(".type", ".f16 .f16x2")
      .since("4.2")
      .needs("sm_53")
      .op(OpClass::hadd2)
      .meaning(add_f16);
  isa.form("add{.rnd}.type d, a, b")
      .set(".rnd", ".rn")
      .set(".type", ".bf16 .bf16x2")
      .since("7.8")
      .needs("sm_90")
      .op(OpClass::hadd2)
      .meaning(add_bf16);
  isa.instruction("add", "9.7.5.1", "Add values of mixed precision.");
  isa.form("add{.rnd}{.sat}.f32.atype d:f32, a:.atype, c:f32")
      .set(".rnd", ".rn .rz .rm .rp")
      .set(".atype", ".f16 .bf16")
      .since("8.6")
      .needs("sm_100")
      .op(OpClass::fadd)
      .meaning(add_mixed);
}

}  // namespace gpuloom::ptx
