// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.8.2 tcgen05.st
//
//   tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [taddr]{, immHalfSplitoff}, r;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_st(IsaBuilder& isa) {
  isa.instruction("tcgen05.st", "9.7.16.8.2", "Store to tensor memory, one warp.");
  tcgen05_form(isa, "tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [taddr], r+:any")
      .set(".shape", ".16x64b .16x128b .16x256b .32x32b")
      .set(".num", kTensorMemoryNumbers);
  tcgen05_form(isa, "tcgen05.st.sync.aligned.16x32bx2.num{.unpack::16b}.b32 [taddr], #half:u32, r+:any")
      .set(".num", kTensorMemoryNumbers);
}

}  // namespace gpuloom::ptx
