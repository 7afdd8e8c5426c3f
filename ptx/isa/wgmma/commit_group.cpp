// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.15.7.2 wgmma.commit_group
//
//   wgmma.commit_group.sync.aligned;
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/wgmma/wgmma_order.h"

namespace gpuloom::ptx {
void register_wgmma_commit_group(IsaBuilder& isa) {
  isa.instruction("wgmma.commit_group", "9.7.15.7.2", "Close the current group of wgmma operations.");
  isa.form("wgmma.commit_group.sync.aligned")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::warpgroup)
      .meaning(wgmma::together)
      .since("8.0")
      .needs("sm_90a");
}

}  // namespace gpuloom::ptx
