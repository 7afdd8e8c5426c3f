// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.9.3 tcgen05.shift
//
//   tcgen05.shift.cta_group.down [taddr];
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_shift(IsaBuilder& isa) {
  isa.instruction("tcgen05.shift", "9.7.16.9.3", "Shift rows of tensor memory down, asynchronously.");
  tcgen05_form(isa, "tcgen05.shift.cta_group.down [taddr]")
      .set(".cta_group", kCtaGroups)
      .needs("sm_100a sm_101a sm_103a sm_110a");
}

}  // namespace gpuloom::ptx
