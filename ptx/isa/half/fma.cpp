// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.4.4 fma, 9.7.5.3 (mixed precision)
//
//   fma.rnd{.ftz}{.sat}.type   d, a, b, c;     .type = { .f16, .f16x2 }     .rnd = { .rn }
//   fma.rnd{.ftz}.relu.type    d, a, b, c;
//   fma.rnd{.relu}.type        d, a, b, c;     .type = { .bf16, .bf16x2 }
//   fma.rnd.oob{.relu}.type    d, a, b, c;     .type = { .f16, .f16x2, .bf16, .bf16x2 }
//   fma.rnd{.sat}.f32.abtype   d, a, b, c;     .abtype = { .f16, .bf16 }    .rnd = { .rn, .rz, .rm, .rp }
//
// .relu clamps negative results to zero; .oob gives zero where a or b is the out-of-bounds NaN 0xffff.
#include "ptx/isa/half/half.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/arith32.h"
#include "ptx/numeric/bfloat.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

LaneFn fma_f16(const FormUse& use) {
  return by_half_mode(use,
                      [&]<bool Ftz, Clamp16 C>() { return half_or_pair<numeric::fma_f16<Ftz, C>>(use); });
}

LaneFn fma_bf16(const FormUse& use) {
  return use.has(".relu") ? half_or_pair<numeric::fma_bf16<Clamp16::kRelu>>(use)
                          : half_or_pair<numeric::fma_bf16<Clamp16::kNone>>(use);
}

template <Clamp16 C>
LaneFn fma_oob_clamped(const FormUse& use) {
  const bool bf16 = use.type() == Type::kBf16 || use.type() == Type::kBf16x2;
  return bf16 ? half_or_pair<numeric::fma_oob_bf16<C>>(use) : half_or_pair<numeric::fma_oob_f16<C>>(use);
}
LaneFn fma_oob(const FormUse& use) {
  return use.has(".relu") ? fma_oob_clamped<Clamp16::kRelu>(use) : fma_oob_clamped<Clamp16::kNone>(use);
}

LaneFn fma_mixed(const FormUse& use) {
  return by_rounding(use.mod(".rnd"), [&]<Rounding R>() {
    return by_flags(
        []<bool Sat, bool Bf16>() {
          return per_lane([](uint16_t a, uint16_t b, float c) {
            const auto wide = [](uint16_t x) {
              return Bf16 ? numeric::bf16_to_float(x) : numeric::half_to_float(x);
            };
            return numeric::fma<R, false, Sat>(wide(a), wide(b), c);
          });
        },
        use.has(".sat"), use.has(".bf16"));
  });
}

}  // namespace

void register_half_fma(IsaBuilder& isa) {
  isa.instruction("fma", "9.7.4.4", "Fused multiply-add of half-precision values.");
  isa.form("fma.rn{.ftz}{.sat}.type d, a, b, c")
      .set(".type", ".f16 .f16x2")
      .since("4.2")
      .needs("sm_53")
      .op(OpClass::hfma2)
      .meaning(fma_f16);
  isa.form("fma.rn{.ftz}.relu.type d, a, b, c")
      .set(".type", ".f16 .f16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hfma2)
      .meaning(fma_f16);
  isa.form("fma.rn{.relu}.type d, a, b, c")
      .set(".type", ".bf16 .bf16x2")
      .since("7.0")
      .needs("sm_80")
      .op(OpClass::hfma2)
      .meaning(fma_bf16);
  isa.form("fma.rn.oob{.relu}.type d, a, b, c")
      .set(".type", ".f16 .f16x2 .bf16 .bf16x2")
      .since("8.1")
      .needs("sm_90")
      .op(OpClass::hfma2)
      .meaning(fma_oob);
  isa.instruction("fma", "9.7.5.3", "Fused multiply-add of values of mixed precision.");
  isa.form("fma.rnd{.sat}.f32.abtype d:f32, a:.abtype, b:.abtype, c:f32")
      .set(".rnd", ".rn .rz .rm .rp")
      .set(".abtype", ".f16 .bf16")
      .since("8.6")
      .needs("sm_100")
      .op(OpClass::ffma)
      .meaning(fma_mixed);
}

}  // namespace gpuloom::ptx
