// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.19 isspacep
//
//   isspacep.space  p, a;    .space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} }
//
// a is a generic address. The blocks of a cluster see each other's memory in .shared::cluster, of which
// .shared::cta is the executing block's part.
#include "ptx/exec/cta.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class F>
void test(Warp& w, const Instr& in, uint32_t lanes, F f) {
  uint32_t value = 0;
  for_lanes(lanes, [&](unsigned l) {
    uint64_t a = in.ops[1].present() ? source<uint64_t>(w, in.ops[1])[l] : 0;
    const Space space = space_of_generic(a);
    if (f(space, a)) value |= 1u << l;
  });
  set_predicate(w, in.ops[0], lanes, value);
}

template <Space S>
void is_space(Warp& w, const Instr& in, uint32_t lanes) {
  test(w, in, lanes, [](Space space, uint64_t) { return space == S; });
}
void is_own_shared(Warp& w, const Instr& in, uint32_t lanes) {
  const uint64_t own = uint64_t(w.cta->cluster_rank) + 1;
  test(w, in, lanes, [own](Space space, uint64_t a) {
    const uint64_t rank = a >> kSharedRankShift;
    return space == Space::kShared && (rank == 0 || rank == own);
  });
}

LaneFn pick(const FormUse& use) {
  if (use.register_bits(1) == 32) return nullptr;
  switch (use.space()) {
    case Space::kConst:
      return is_space<Space::kConst>;
    case Space::kGlobal:
      return is_space<Space::kGlobal>;
    case Space::kLocal:
      return is_space<Space::kLocal>;
    case Space::kShared:
      return is_own_shared;
    case Space::kSharedCluster:
      return is_space<Space::kShared>;
    default:
      return is_space<Space::kParam>;
  }
}

}  // namespace

void register_memory_isspacep(IsaBuilder& isa) {
  isa.instruction("isspacep", "9.7.9.19", "Query whether a generic address falls within a state space.");
  isa.form("isspacep.space p, a:any")
      .set(".space",
           ".const@3.1 .global .local .shared .shared::cta@7.8 .shared::cluster@7.8,sm_90 .param@7.7,sm_70 "
           ".param::entry@8.3,sm_70")
      .op(OpClass::qspc)
      .meaning(pick)
      .since("2.0")
      .needs("sm_20");
}

}  // namespace gpuloom::ptx
