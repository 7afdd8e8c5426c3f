// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.5 atom
//
//   atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d, [a], b{, cache-policy};
//   atom{.sem}{.scope}{.space}.cas.type d, [a], b, c{, cache-policy};
//   atom{.sem}{.scope}{.space}.add{.level::cache_hint}.noftz.type d, [a], b;   .f16 .f16x2 .bf16 .bf16x2
//   atom{.sem}{.scope}{.global}.add{.level::cache_hint}.vec_32_bit.f32 d, [a], b{, cache-policy};
//   atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec_16_bit.half_word_type d, [a], b;
//   atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec_32_bit.packed_type d, [a], b;
//
// ptxas also takes the vector forms as atom.global.v2.f32.add, and atom.add.acquire.gpu.u32 and
// atom.global.sys.add.u32; all are accepted.
#include "ptx/isa/atomic/atomic_lanes.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) { encode_atomic(use, in, kAtomShape); }

OpClass op_of(const FormUse& use) {
  const Space space = use.space();
  return space == Space::kShared || space == Space::kSharedCluster ? OpClass::atoms : OpClass::atomg;
}

FormBuilder common(FormBuilder form, std::string_view spaces = kAtomicSpaces) {
  return form.set(".sem", ".relaxed@6.0,sm_70 .acquire@6.0,sm_70 .release@6.0,sm_70 .acq_rel@6.0,sm_70")
      .set(".scope", kAtomicScopes)
      .set(".space", spaces)
      .kind(InstrKind::kAtomic)
      .op(op_of)
      .check(check_atomic)
      .encode(encode)
      .meaning(atomic_lanes<kAtomShape>);
}

FormBuilder hinted(FormBuilder form) { return form.set(".level::cache_hint", kCacheHint); }

FormBuilder vectors(FormBuilder form) { return hinted(common(form, ".global")).since("8.1").needs("sm_90"); }

}  // namespace

#define HEAD "atom{.sem}{.scope}{.space}"
#define HINT "{.level::cache_hint}"

void register_atomic_atom(IsaBuilder& isa) {
  isa.instruction("atom", "9.7.13.5", "Atomic operation that returns the old value.");
  hinted(common(isa.form(HEAD ".op" HINT ".type d, [a], b{, c:b64}")))
      .set(".op", ".and .or .xor .exch .add .inc .dec .min .max")
      .set(".type", ".b32 .b64 .b128@8.3,sm_90 .u32 .u64 .s32 .s64 .f32 .f64@5.0,sm_60")
      .since("1.1");
  hinted(common(isa.form(HEAD ".op" HINT ".type d, [a], b, c{, e:b64}")))
      .set(".op", ".cas")
      .set(".type", ".b16@6.3,sm_70 .b32 .b64 .b128@8.3,sm_90")
      .meaning(atomic_lanes<kCasShape>)
      .since("1.1");
  hinted(common(isa.form(HEAD ".op.noftz" HINT ".type d, [a], b{, c:b64}")))
      .set(".op", ".add")
      .set(".type", ".f16@6.3,sm_70 .f16x2@6.2,sm_60 .bf16@7.8,sm_90 .bf16x2@7.8,sm_90");
  vectors(isa.form(HEAD ".op" HINT ".vec_32_bit.type d+, [a], b+{, c:b64}"))
      .set(".op", ".add")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f32");
  vectors(isa.form(HEAD ".op.noftz" HINT ".vec_16_bit.type d+, [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_16_bit", ".v2 .v4 .v8")
      .set(".type", ".f16 .bf16");
  vectors(isa.form(HEAD ".op.noftz" HINT ".vec_32_bit.type d+, [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f16x2 .bf16x2");
  vectors(isa.form(HEAD ".vec_32_bit.type.op" HINT " d+, [a], b+{, c:b64}"))
      .set(".op", ".add")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f32");
  vectors(isa.form(HEAD ".vec_16_bit.type.op.noftz" HINT " d+, [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_16_bit", ".v2 .v4 .v8")
      .set(".type", ".f16 .bf16");
  vectors(isa.form(HEAD ".vec_32_bit.type.op.noftz" HINT " d+, [a], b+{, c:b64}"))
      .set(".op", ".add .min .max")
      .set(".vec_32_bit", ".v2 .v4")
      .set(".type", ".f16x2 .bf16x2");
  // Older orders that ptxas takes and CUDA's headers used: the operation first, or the space before the
  // scope.
  for (const char* head : {"atom{.space}.op.sem.scope", "atom.space.scope.op"}) {
    const bool with_sem = std::string_view(head).find(".sem") != std::string_view::npos;
    const auto older = [&](std::string_view operands) {
      FormBuilder form = isa.form(std::string(head) + HINT + ".type d, [a], b" + std::string(operands));
      if (with_sem)
        form.set(".sem", ".relaxed@6.0,sm_70 .acquire@6.0,sm_70 .release@6.0,sm_70 .acq_rel@6.0,sm_70");
      return hinted(form.set(".scope", kAtomicScopes)
                        .set(".space", kAtomicSpaces)
                        .kind(InstrKind::kAtomic)
                        .op(op_of)
                        .check(check_atomic)
                        .encode(encode));
    };
    older("{, c:b64}")
        .set(".op", ".and .or .xor .exch .add .inc .dec .min .max")
        .set(".type", ".b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64@5.0,sm_60")
        .meaning(atomic_lanes<kAtomShape>);
    older(", c{, e:b64}")
        .set(".op", ".cas")
        .set(".type", ".b16@6.3,sm_70 .b32 .b64")
        .meaning(atomic_lanes<kCasShape>);
  }
}

}  // namespace gpuloom::ptx
