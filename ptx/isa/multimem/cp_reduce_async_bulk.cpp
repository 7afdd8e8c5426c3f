// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.9.25.4.5 multimem.cp.reduce.async.bulk
//
//   multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.redOp.type [dstMem], [srcMem], size;
#include "ptx/isa/multimem/multimem.h"

namespace gpuloom::ptx {
void register_multimem_cp_reduce_async_bulk(IsaBuilder& isa) {
  isa.instruction("multimem.cp.reduce.async.bulk", "9.7.9.25.4.5", "Bulk reduction on several memories.");
  multimem_form(isa,
                "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [dst], [src], n:u32")
      .set(".op", ".and .or .xor .add .inc .dec .min .max")
      .set(".type", ".b32 .b64 .u32 .u64 .s32 .s64 .f16 .bf16 .f32 .f64")
      .since("9.1");
  multimem_form(
      isa, "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.type [dst], [src], n:u32")
      .set(".type", ".f16 .bf16")
      .since("9.1");
}

}  // namespace gpuloom::ptx
