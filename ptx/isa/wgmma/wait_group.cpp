// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.15.7.3 wgmma.wait_group
//
//   wgmma.wait_group.sync.aligned N;
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/wgmma/wgmma_order.h"

namespace gpuloom::ptx {
void register_wgmma_wait_group(IsaBuilder& isa) {
  isa.instruction("wgmma.wait_group", "9.7.15.7.3",
                  "Wait until at most N groups of wgmma operations are pending.");
  isa.form("wgmma.wait_group.sync.aligned #n:u32")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::warpgroup)
      .meaning(wgmma::together)
      .since("8.0")
      .needs("sm_90a");
}

}  // namespace gpuloom::ptx
