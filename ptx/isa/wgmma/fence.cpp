// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.15.7.1 wgmma.fence
//
//   wgmma.fence.sync.aligned;
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/wgmma/wgmma_order.h"

namespace gpuloom::ptx {
void register_wgmma_fence(IsaBuilder& isa) {
  isa.instruction("wgmma.fence", "9.7.15.7.1", "Order register and shared memory accesses with wgmma.");
  isa.form("wgmma.fence.sync.aligned")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::warpgroup)
      .meaning(wgmma::together)
      .since("8.0")
      .needs("sm_90a");
}

}  // namespace gpuloom::ptx
