// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.17.3 alloca
//
//   alloca.type ptr, size{, immAlign};
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_stack_alloca(IsaBuilder& isa) {
  isa.instruction("alloca", "9.7.17.3", "Allocate stack memory.");
  isa.form("alloca.type d, n{, #align:u32}")
      .set(".type", ".u32 .u64")
      .since("7.3")
      .needs("sm_52")
      .not_modelled("dynamic stack allocation is not modelled yet");
}

}  // namespace gpuloom::ptx
