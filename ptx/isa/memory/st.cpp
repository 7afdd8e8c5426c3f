// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.12 st
//
//   st{.weak}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type
//     [a], b{, cache-policy};
//   st{.weak}{.ss}.cop{.level::cache_hint}{.vec}.type [a], b{, cache-policy};
//   st.volatile{.ss}{.vec}.type [a], b;
//   st.relaxed.scope{.ss}{...}{.vec}.type [a], b{, cache-policy};      also st.release
//   st.mmio.relaxed.sys{.global}.type [a], b;
//
// The source may be wider than the type: its low bits are stored (9.4.1).
#include "ptx/exec/memory_flags.h"
#include "ptx/isa/memory/load_lanes.h"
#include "ptx/isa/memory/memory_sets.h"

namespace gpuloom::ptx {
namespace {

LaneFn pick(const FormUse& use) {
  return by_memory_type(use.type(), use.register_bits(1), []<class M, class R>(M, R) -> LaneFn {
    // Stores drop upper bits whatever the sign.
    if constexpr (std::is_same_v<M, Wide>)
      return store_lanes<Wide, Wide>;
    else
      return store_lanes<std::make_unsigned_t<M>, R>;
  });
}

OpClass op_of(const FormUse& use) {
  switch (use.space()) {
    case Space::kGlobal:
      return OpClass::stg;
    case Space::kShared:
    case Space::kSharedCluster:
      return OpClass::sts;
    case Space::kLocal:
      return OpClass::stl;
    case Space::kParam:
    case Space::kParamFunction:
      return OpClass::none;
    default:
      return OpClass::stgen;
  }
}

void encode(const FormUse& use, Instr& in) { encode_memory(use, in, 0); }

FormBuilder common(FormBuilder form) {
  return memory_form(form).kind(InstrKind::kStore).op(op_of).encode(encode).meaning(pick);
}

}  // namespace

#define HINTS "{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"

void register_memory_st(IsaBuilder& isa) {
  isa.instruction("st", "9.7.9.12", "Store to memory.");
  with_eviction(
      common(isa.form("st{.weak}{.ss}" HINTS "{.vec}.type [a], b*{, c:b64}").set(".ss", kStoreSpaces)))
      .set(".weak", ".weak@6.0");
  common(isa.form("st{.weak}{.ss}.cop{.level::cache_hint}{.vec}.type [a], b*{, c:b64}")
             .set(".ss", kStoreSpaces)
             .set(".cop", ".wb .cg .cs .wt"))
      .set(".weak", ".weak@6.0")
      .set(".level::cache_hint", kCacheHint);
  common(isa.form("st.volatile{.ss}{.vec}.type [a], b*").set(".ss", kOrderedSpaces)).since("1.1");
  with_eviction(common(isa.form("st.sem.scope{.ss}" HINTS "{.vec}.type [a], b*{, c:b64}")
                           .set(".sem", ".relaxed .release")
                           .set(".scope", kScopes)
                           .set(".ss", kOrderedSpaces)))
      .since("6.0")
      .needs("sm_70");
  // The space first, as ptxas takes it too.
  common(isa.form("st.ss.sem.scope{.vec}.type [a], b*")
             .set(".ss", kOrderedSpaces)
             .set(".sem", ".relaxed .release")
             .set(".scope", kScopes))
      .since("6.0")
      .needs("sm_70");
  isa.form("st.mmio.relaxed.sys{.global}.type [a], b")
      .set(".type", kMemoryTypes)
      .relaxed()
      .kind(InstrKind::kStore)
      .op(OpClass::stg)
      .encode(encode)
      .meaning(pick)
      .since("8.2")
      .needs("sm_70");
}

}  // namespace gpuloom::ptx
