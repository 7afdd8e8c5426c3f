// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.17.2 stackrestore
//
//   stackrestore.type a;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_stack_stackrestore(IsaBuilder& isa) {
  isa.instruction("stackrestore", "9.7.17.2", "Set the stack pointer.");
  isa.form("stackrestore.type a")
      .set(".type", ".u32 .u64")
      .since("7.3")
      .needs("sm_52")
      .not_modelled("dynamic stack allocation is not modelled yet");
}

}  // namespace gpuloom::ptx
