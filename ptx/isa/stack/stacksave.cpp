// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.17.1 stacksave
//
//   stacksave.type d;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_stack_stacksave(IsaBuilder& isa) {
  isa.instruction("stacksave", "9.7.17.1", "Read the stack pointer.");
  isa.form("stacksave.type d")
      .set(".type", ".u32 .u64")
      .since("7.3")
      .needs("sm_52")
      .not_modelled("dynamic stack allocation is not modelled yet");
}

}  // namespace gpuloom::ptx
