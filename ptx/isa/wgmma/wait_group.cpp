// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.15.7.3 wgmma.wait_group
//
//   wgmma.wait_group.sync.aligned N;
#include "ptx/isa/table/isa_builder.h"
#include "ptx/isa/wgmma/wgmma_shapes.h"

namespace gpuloom::ptx {
void register_wgmma_wait_group(IsaBuilder& isa) {
  isa.instruction("wgmma.wait_group", "9.7.15.7.3",
                  "Wait until at most N groups of wgmma operations are pending.");
  isa.form("wgmma.wait_group.sync.aligned #n:u32").since("8.0").needs("sm_90a").not_modelled(kNoWgmma);
}

}  // namespace gpuloom::ptx
