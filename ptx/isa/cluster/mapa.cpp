// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.23 mapa
//
//   mapa{.space}.type  d, a, b;    .space = { .shared::cluster }, .type = { .u32, .u64 }
//
// Maps a shared address of the executing block to the same place in the block of rank b. Without .space both
// addresses are generic.
#include "ptx/exec/async_copy.h"
#include "ptx/exec/cta.h"
#include "ptx/exec/fault.h"
#include "ptx/exec/memory_path.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

template <class T, bool Generic>
void mapa(Warp& w, const Instr& in, uint32_t lanes) {
  T* d = row<T>(w, in.ops[0]);
  const T* a = source<T>(w, in.ops[1]);
  const uint32_t* rank = source<uint32_t>(w, in.ops[2]);
  for_lanes(lanes, [&](unsigned l) {
    if (rank[l] >= w.cta->cluster->ctas.size())
      fault(w, in, l, FaultKind::kIllegal,
            "maps an address to rank " + std::to_string(rank[l]) + " of a cluster of " +
                std::to_string(w.cta->cluster->ctas.size()) + " blocks");
    const uint64_t at = shared_address(w, in, l, Generic, a[l]) & ((1u << kSharedRankShift) - 1);
    const uint64_t mapped = at | uint64_t(rank[l] + 1) << kSharedRankShift;
    d[l] = static_cast<T>(Generic ? kSharedWindowBase + mapped : mapped);
  });
}

LaneFn pick(const FormUse& use) {
  const bool generic = use.space() == Space::kGeneric;
  if (use.has(".u32")) return generic ? nullptr : mapa<uint32_t, false>;
  return generic ? static_cast<LaneFn>(mapa<uint64_t, true>) : mapa<uint64_t, false>;
}

}  // namespace

void register_cluster_mapa(IsaBuilder& isa) {
  isa.instruction("mapa", "9.7.9.23", "Map a shared address to another block of the cluster.");
  isa.form("mapa{.space}.type d, a, b:u32")
      .set(".space", ".shared::cluster")
      .set(".type", ".u32 .u64")
      .op(OpClass::mapa)
      .meaning(pick)
      .since("7.8")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
