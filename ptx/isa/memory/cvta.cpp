// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.20 cvta
//
//   cvta.space.size     p, a;     address in a space to generic; a may be a variable
//   cvta.to.space.size  p, a;     generic to address in a space
//
//   .space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} }, .size = { .u32, .u64 }
//
// Generic addresses of the spaces lie in windows (exec/memory_view.h); global ones are generic already. In a
// cluster the generic address of shared memory carries the block's rank, so that other blocks can use it.
#include "ptx/exec/cta.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class F>
void map(Warp& w, const Instr& in, uint32_t lanes, F f) {
  uint64_t* d = row<uint64_t>(w, in.ops[0]);
  const uint64_t* a = source<uint64_t>(w, in.ops[1]);
  if (lanes == ~0u)
    for (unsigned l = 0; l < 32; ++l) d[l] = f(a[l]);
  else
    for_lanes(lanes, [&](unsigned l) { d[l] = f(a[l]); });
}

void same(Warp& w, const Instr& in, uint32_t lanes) {
  map(w, in, lanes, [](uint64_t a) { return a; });
}
template <uint64_t Base>
void add(Warp& w, const Instr& in, uint32_t lanes) {
  map(w, in, lanes, [](uint64_t a) { return a + Base; });
}
template <uint64_t Base>
void subtract(Warp& w, const Instr& in, uint32_t lanes) {
  map(w, in, lanes, [](uint64_t a) { return a - Base; });
}
void shared_to_generic(Warp& w, const Instr& in, uint32_t lanes) {
  const uint64_t own =
      w.cta->cluster->ctas.size() > 1 ? uint64_t(w.cta->cluster_rank + 1) << kSharedRankShift : 0;
  map(w, in, lanes, [own](uint64_t a) {
    const uint64_t rank = a >> kSharedRankShift << kSharedRankShift;
    return kSharedWindowBase + (rank == 0 ? a + own : a);
  });
}

LaneFn to_generic(const FormUse& use) {
  if (use.has(".u32")) return nullptr;
  switch (use.space()) {
    case Space::kShared:
    case Space::kSharedCluster:
      return shared_to_generic;
    case Space::kLocal:
      return add<kLocalWindowBase>;
    case Space::kConst:
      return add<kConstWindowBase>;
    case Space::kParam:
    case Space::kParamFunction:
      return add<kParamWindowBase>;
    default:
      return same;
  }
}
LaneFn from_generic(const FormUse& use) {
  if (use.has(".u32")) return nullptr;
  switch (use.space()) {
    case Space::kShared:
    case Space::kSharedCluster:
      return subtract<kSharedWindowBase>;
    case Space::kLocal:
      return subtract<kLocalWindowBase>;
    case Space::kConst:
      return subtract<kConstWindowBase>;
    case Space::kParam:
    case Space::kParamFunction:
      return subtract<kParamWindowBase>;
    default:
      return same;
  }
}

// Windows begin at addresses whose lower 32 bits are zero, so going to shared is a truncation.
OpClass op_of(const FormUse& use) {
  return use.space() == Space::kLocal || (use.space() == Space::kShared && !use.has(".to")) ? OpClass::add64
                                                                                            : OpClass::none;
}

FormBuilder common(FormBuilder form) {
  return form
      .set(".space",
           ".const@3.1 .global .local .shared .shared::cta@7.8 .shared::cluster@7.8,sm_90 .param@7.7,sm_70 "
           ".param::entry@8.3,sm_70")
      .set(".size", ".u32 .u64")
      .op(op_of)
      .since("2.0")
      .needs("sm_20");
}

}  // namespace

void register_memory_cvta(IsaBuilder& isa) {
  isa.instruction("cvta", "9.7.9.20", "Convert an address between a state space and generic.");
  common(isa.form("cvta.space.size d, a")).meaning(to_generic);
  common(isa.form("cvta.to.space.size d, a")).meaning(from_generic);
}

}  // namespace gpuloom::ptx
