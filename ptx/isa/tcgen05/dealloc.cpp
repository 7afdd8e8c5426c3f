// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.7.1 tcgen05.dealloc
//
//   tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, nCols;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_dealloc(IsaBuilder& isa) {
  isa.instruction("tcgen05.dealloc", "9.7.16.7.1", "Free columns of tensor memory.");
  tcgen05_form(isa, "tcgen05.dealloc.cta_group.sync.aligned.b32 taddr:b32, n:b32")
      .set(".cta_group", kCtaGroups);
}

}  // namespace gpuloom::ptx
