// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.11.1 tcgen05.fence
//
//   tcgen05.fence::before_thread_sync;
//   tcgen05.fence::after_thread_sync;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_fence(IsaBuilder& isa) {
  isa.instruction("tcgen05.fence::before_thread_sync", "9.7.16.11.1", "Order tcgen05 before what follows.");
  tcgen05_form(isa, "tcgen05.fence::before_thread_sync");
  isa.instruction("tcgen05.fence::after_thread_sync", "9.7.16.11.1", "Order tcgen05 after what came before.");
  tcgen05_form(isa, "tcgen05.fence::after_thread_sync");
}

}  // namespace gpuloom::ptx
