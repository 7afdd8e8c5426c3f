// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.7.1 tcgen05.relinquish_alloc_permit
//
//   tcgen05.relinquish_alloc_permit.cta_group.sync.aligned;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_relinquish_alloc_permit(IsaBuilder& isa) {
  isa.instruction("tcgen05.relinquish_alloc_permit", "9.7.16.7.1", "Give up the right to allocate.");
  tcgen05_form(isa, "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned").set(".cta_group", kCtaGroups);
}

}  // namespace gpuloom::ptx
