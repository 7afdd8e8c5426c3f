// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.13.2 bar.warp.sync
//
//   bar.warp.sync  membermask;
#include "ptx/exec/check/checks.h"
#include "ptx/exec/warp_sync.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void bar_warp_sync(Warp& w, const Instr& in, uint32_t lanes) {
  const uint32_t met = sync_members(w, in, lanes, in.ops[0]);
  if (met != 0 && w.launch->checks != nullptr) w.launch->checks->warp_synchronised(w, met);
}

}  // namespace

void register_sync_bar_warp_sync(IsaBuilder& isa) {
  isa.instruction("bar.warp.sync", "9.7.13.2", "Barrier synchronization for the threads of a warp.");
  isa.form("bar.warp.sync membermask:u32")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::warpsync)
      .meaning(bar_warp_sync)
      .since("6.0")
      .needs("sm_30");
}

}  // namespace gpuloom::ptx
