// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.8 ld, 9.7.9.9 ld.global.nc
//
//   ld{.weak}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}
//     {.level::prefetch_size}{.vec}.type d, [a]{, cache-policy};
//   ld{.weak}{.ss}.cop{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy};
//   ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d, [a];
//   ld.relaxed.scope{.ss}{...}{.vec}.type d, [a]{, cache-policy};      also ld.acquire
//   ld.mmio.relaxed.sys{.global}.type d, [a];
//   ld.global{.cop}.nc{...}{.vec}.type d, [a]{, cache-policy};
//
// The destination may be wider than the type: signed types extend their sign, others zeros (9.4.1).
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/load_lanes.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

LaneFn pick(const FormUse& use) {
  return by_memory_type(use.type(), use.register_bits(0),
                        []<class M, class R>(M, R) -> LaneFn { return load_lanes<M, R>; });
}

OpClass op_of(const FormUse& use) {
  switch (use.space()) {
    case Space::kGlobal:
      return OpClass::ldg;
    case Space::kShared:
    case Space::kSharedCluster:
      return OpClass::lds;
    case Space::kLocal:
      return OpClass::ldl;
    case Space::kConst:
      return OpClass::ldc;
    case Space::kParam:
      return address_bits(use, 1) == 0 ? OpClass::none : OpClass::ldc;
    case Space::kParamFunction:
      return OpClass::none;
    default:
      return OpClass::ldgen;
  }
}

void encode(const FormUse& use, Instr& in) { encode_memory(use, in, 1); }

FormBuilder common(FormBuilder form) {
  return memory_form(form).kind(InstrKind::kLoad).op(op_of).encode(encode).meaning(pick);
}

FormBuilder with_hints(FormBuilder form) {
  return with_eviction(form).set(".level::prefetch_size", kPrefetchSize);
}

}  // namespace

#define HINTS \
  "{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}"

void register_memory_ld(IsaBuilder& isa) {
  isa.instruction("ld", "9.7.9.8", "Load from memory.");
  with_hints(common(isa.form("ld{.weak}{.ss}" HINTS "{.vec}.type d*, [a]{, c:b64}").set(".ss", kLoadSpaces)))
      .set(".weak", ".weak@6.0");
  common(isa.form("ld{.weak}{.ss}.cop{.level::cache_hint}{.level::prefetch_size}{.vec}.type d*, [a]{, c:b64}")
             .set(".ss", kLoadSpaces)
             .set(".cop", ".ca .cg .cs .lu .cv"))
      .set(".weak", ".weak@6.0")
      .set(".level::cache_hint", kCacheHint)
      .set(".level::prefetch_size", kPrefetchSize);
  common(isa.form("ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d*, [a]").set(".ss", kOrderedSpaces))
      .set(".level::prefetch_size", kPrefetchSize)
      .since("1.1");
  with_hints(common(isa.form("ld.sem.scope{.ss}" HINTS "{.vec}.type d*, [a]{, c:b64}")
                        .set(".sem", ".relaxed .acquire")
                        .set(".scope", kScopes)
                        .set(".ss", kOrderedSpaces)))
      .since("6.0")
      .needs("sm_70");
  // The space first, as ptxas takes it too.
  common(isa.form("ld.ss.sem.scope{.vec}.type d*, [a]")
             .set(".ss", kOrderedSpaces)
             .set(".sem", ".relaxed .acquire")
             .set(".scope", kScopes))
      .since("6.0")
      .needs("sm_70");
  isa.form("ld.mmio.relaxed.sys{.global}.type d, [a]")
      .set(".type", kMemoryTypes)
      .relaxed()
      .kind(InstrKind::kLoad)
      .op(OpClass::ldg)
      .encode(encode)
      .meaning(pick)
      .since("8.2")
      .needs("sm_70");
  with_hints(
      common(isa.form("ld.global{.cop}.nc" HINTS "{.vec}.type d*, [a]{, c:b64}").set(".cop", ".ca .cg .cs")))
      .since("3.1")
      .needs("sm_32");
}

}  // namespace gpuloom::ptx
