// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.4.4 multimem.cp.async.bulk
//
//   multimem.cp.async.bulk.global.shared::cta.bulk_group{.cp_mask} [dstMem], [srcMem], size{, byteMask};
#include "ptx/isa/multimem/multimem.h"

namespace gpuloom::ptx {
void register_multimem_cp_async_bulk(IsaBuilder& isa) {
  isa.instruction("multimem.cp.async.bulk", "9.7.9.25.4.4", "Bulk copy to several memories.");
  multimem_form(isa, "multimem.cp.async.bulk.global.shared::cta.bulk_group [dst], [src], n:u32").since("9.1");
  multimem_form(isa,
                "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dst], [src], n:u32, m:b16")
      .since("9.1")
      .needs("sm_100");
}

}  // namespace gpuloom::ptx
