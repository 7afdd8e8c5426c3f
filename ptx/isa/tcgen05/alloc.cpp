// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.7.1 tcgen05.alloc
//
//   tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], nCols;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_alloc(IsaBuilder& isa) {
  isa.instruction("tcgen05.alloc", "9.7.16.7.1", "Allocate columns of tensor memory.");
  tcgen05_form(isa, "tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], n:b32")
      .set(".cta_group", kCtaGroups);
}

}  // namespace gpuloom::ptx
