// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.8.1 tcgen05.ld.red
//
//   tcgen05.ld.red.sync.aligned.shape.num.redOp{.abs}{.NaN}.type r, redval, [taddr]{, immHalfSplitoff};
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_ld_red(IsaBuilder& isa) {
  isa.instruction("tcgen05.ld.red", "9.7.16.8.1", "Load from tensor memory and reduce, one warp.");
  for (const char* syntax :
       {"tcgen05.ld.red.sync.aligned.32x32b.num.op{.abs}{.NaN}.type d+:any, v, [taddr]",
        "tcgen05.ld.red.sync.aligned.16x32bx2.num.op{.abs}{.NaN}.type d+:any, v, [taddr], "
        "#half:u32"})
    tcgen05_form(isa, syntax)
        .set(".num", kTensorMemoryNumbers)
        .set(".op", ".min .max")
        .set(".type", ".f32 .u32 .s32")
        .since("8.8")
        .needs("sm_101a sm_101f sm_103a sm_103f sm_110a sm_110f");
}

}  // namespace gpuloom::ptx
