// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.15 elect.sync
//
//   elect.sync d|p, membermask;
//
// The leader is the lowest lane of the mask that takes part, as on the H200; the manual only says that it is
// the same every time.
#include "ptx/exec/warp_sync.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void elect(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_members(w, in, lanes, in.ops[2]);
  if (lanes == 0) return;
  uint32_t leaders = 0, leader_of[32];
  for_groups(w, lanes, in.ops[2], [&](uint32_t group, uint32_t) {
    const unsigned leader = static_cast<unsigned>(std::countr_zero(group));
    leaders |= 1u << leader;
    for_lanes(group, [&](unsigned l) { leader_of[l] = leader; });
  });
  uint32_t* d = row<uint32_t>(w, in.ops[0]);
  for_lanes(lanes, [&](unsigned l) { d[l] = leader_of[l]; });
  set_predicate(w, in.ops[1], lanes, leaders);
}

}  // namespace

void register_warp_elect(IsaBuilder& isa) {
  isa.instruction("elect.sync", "9.7.13.15", "Elect a leader among the threads of a mask.");
  isa.form("elect.sync d:u32|p, membermask:u32")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::elect)
      .meaning(elect)
      .since("8.0")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
