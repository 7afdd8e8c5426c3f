// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.8.1 tcgen05.ld
//
//   tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [taddr]{, immHalfSplitoff};
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_ld(IsaBuilder& isa) {
  isa.instruction("tcgen05.ld", "9.7.16.8.1", "Load from tensor memory, one warp.");
  tcgen05_form(isa, "tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 d+:any, [taddr]")
      .set(".shape", ".16x64b .16x128b .16x256b .32x32b")
      .set(".num", kTensorMemoryNumbers);
  tcgen05_form(isa, "tcgen05.ld.sync.aligned.16x32bx2.num{.pack::16b}.b32 d+:any, [taddr], #half:u32")
      .set(".num", kTensorMemoryNumbers);
}

}  // namespace gpuloom::ptx
