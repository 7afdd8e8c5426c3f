// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.24 getctarank
//
//   getctarank{.space}.type  d, a;    .space = { .shared::cluster }, .type = { .u32, .u64 }; d is .u32
#include "ptx/exec/async_copy.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T, bool Generic>
void getctarank(Warp& w, const Instr& in, uint32_t lanes) {
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  const T* a = source<T>(w, in.ops[1]);
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t rank = shared_address(w, in, l, Generic, a[l]) >> kSharedRankShift;
    d[l] = rank == 0 ? w.cta->cluster_rank : static_cast<uint32_t>(rank - 1);
  });
}

LaneFn pick(const FormUse& use) {
  const bool generic = use.space() == Space::kGeneric;
  if (use.has(".u32")) return generic ? nullptr : getctarank<uint32_t, false>;
  return generic ? static_cast<LaneFn>(getctarank<uint64_t, true>) : getctarank<uint64_t, false>;
}

}  // namespace

void register_cluster_getctarank(IsaBuilder& isa) {
  isa.instruction("getctarank", "9.7.9.24", "Rank of the block that a shared address belongs to.");
  isa.form("getctarank{.space}.type d:u32, a")
      .set(".space", ".shared::cluster")
      .set(".type", ".u32 .u64")
      .op(OpClass::shift)
      .meaning(pick)
      .since("7.8")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
