// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.6 red
//
//   red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy};
//   red{.sem}{.scope}{.space}.add.noftz{.level::cache_hint}.type [a], b{, cache-policy};   .f16 .f16x2 .bf16
//   .bf16x2 red{.sem}{.scope}{.global}.add{.level::cache_hint}.vec_32_bit.f32 [a], b{, cache-policy};
//   red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec_16_bit.half_word_type [a], b{, cache-policy};
//   red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec_32_bit.packed_type [a], b{, cache-policy};
//
// ptxas also takes the vector forms as red.global.v2.f32.add; both are accepted.
#include "ptx/isa/atomic/atomic_lanes.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) { encode_atomic(use, in, kRedShape); }

OpClass op_of(const FormUse& use) {
  const Space space = use.space();
  return space == Space::kShared || space == Space::kSharedCluster ? OpClass::atoms : OpClass::red;
}

FormBuilder common(FormBuilder form, std::string_view spaces = kAtomicSpaces) {
  return form.set(".sem", ".relaxed@6.0,sm_70 .release@6.0,sm_70")
      .set(".scope", kAtomicScopes)
      .set(".space", spaces)
      .set(".level::cache_hint", kCacheHint)
      .kind(InstrKind::kAtomic)
      .op(op_of)
      .check(check_atomic)
      .encode(encode)
      .meaning(atomic_lanes<kRedShape>);
}

FormBuilder vectors(FormBuilder form) { return common(form, ".global").since("8.1").needs("sm_90"); }

}  // namespace

#define HEAD "red{.sem}{.scope}{.space}"
#define HINT "{.level::cache_hint}"

void register_atomic_red(IsaBuilder& isa) {
  isa.instruction("red", "9.7.13.6", "Atomic operation without a result.");
  common(isa.form(HEAD ".op" HINT ".type [a], b{, c:b64}"))
      .set(".op", ".and .or .xor .add .inc .dec .min .max")
      .set(".type", ".b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64@5.0,sm_60")
      .since("1.2");
  common(isa.form(HEAD ".op.noftz" HINT ".type [a], b{, c:b64}"))
      .set(".op", ".add")
      .set(".type", ".f16@6.3,sm_70 .f16x2@6.2,sm_60 .bf16@7.8,sm_90 .bf16x2@7.8,sm_90");
  vectors(isa.form(HEAD ".op" HINT ".vec_32_bit.type [a], b+{, c:b64}"))
      .set(".op", ".add")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f32");
  vectors(isa.form(HEAD ".op.noftz" HINT ".vec_16_bit.type [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_16_bit", ".v2 .v4 .v8")
      .set(".type", ".f16 .bf16");
  vectors(isa.form(HEAD ".op.noftz" HINT ".vec_32_bit.type [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f16x2 .bf16x2");
  vectors(isa.form(HEAD ".vec_32_bit.type.op" HINT " [a], b+{, c:b64}"))
      .set(".op", ".add")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f32");
  vectors(isa.form(HEAD ".vec_16_bit.type.op.noftz" HINT " [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_16_bit", ".v2 .v4 .v8")
      .set(".type", ".f16 .bf16");
  vectors(isa.form(HEAD ".vec_32_bit.type.op.noftz" HINT " [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f16x2 .bf16x2");
  // An older order that ptxas takes: red.add.release.gpu.u32.
  isa.form("red{.space}.op.sem.scope.type [a], b")
      .set(".space", kAtomicSpaces)
      .set(".op", ".and .or .xor .add .inc .dec .min .max")
      .set(".sem", ".relaxed@6.0,sm_70 .release@6.0,sm_70")
      .set(".scope", kAtomicScopes)
      .set(".type", ".b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64@5.0,sm_60")
      .kind(InstrKind::kAtomic)
      .op(op_of)
      .check(check_atomic)
      .encode(encode)
      .meaning(atomic_lanes<kRedShape>);
}

}  // namespace gpuloom::ptx
