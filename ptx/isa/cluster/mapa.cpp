// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.23 mapa
//
//   mapa{.space}.type  d, a, b;    .space = { .shared::cluster }, .type = { .u32, .u64 }
//
// Maps a shared address of the executing block to the same place in the block of rank b. Without .space both
// addresses are generic, but for a variable's name and for addresses of 32 bits: ptxas 13.0 puts the rank
// into the upper byte of the low word in every form (PRMT), so both stay shared addresses.
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

bool names_variable(const FormUse& use) { return use.operand(1).kind == OperandKind::kSymbol; }

LaneFn pick(const FormUse& use) {
  if (use.has(".u32")) return mapa<uint32_t, false>;
  const bool generic = use.space() == Space::kGeneric && !names_variable(use);
  return generic ? static_cast<LaneFn>(mapa<uint64_t, true>) : mapa<uint64_t, false>;
}

std::string check(const FormUse& use) {
  const Operand& a = use.operand(1);
  const bool elsewhere = names_variable(use) && a.variable != nullptr && a.variable->space != Space::kShared;
  return elsewhere ? "`mapa` maps addresses of shared memory, and the variable is elsewhere" : std::string();
}

}  // namespace

void register_cluster_mapa(IsaBuilder& isa) {
  isa.instruction("mapa", "9.7.9.23", "Map a shared address to another block of the cluster.");
  isa.form("mapa{.space}.type d, a, b:u32")
      .set(".space", ".shared::cluster")
      .set(".type", ".u32 .u64")
      .op(OpClass::mapa)
      .check(check)
      .meaning(pick)
      .since("7.8")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
