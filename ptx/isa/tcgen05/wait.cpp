// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.8.3 tcgen05.wait
//
//   tcgen05.wait::ld.sync.aligned;
//   tcgen05.wait::st.sync.aligned;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_wait(IsaBuilder& isa) {
  isa.instruction("tcgen05.wait::ld", "9.7.16.8.3", "Wait for tcgen05.ld of the thread.");
  tcgen05_form(isa, "tcgen05.wait::ld.sync.aligned");
  isa.instruction("tcgen05.wait::st", "9.7.16.8.3", "Wait for tcgen05.st of the thread.");
  tcgen05_form(isa, "tcgen05.wait::st.sync.aligned");
}

}  // namespace gpuloom::ptx
