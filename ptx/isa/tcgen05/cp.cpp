// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.16.9.2 tcgen05.cp
//
//   tcgen05.cp.cta_group.shape{.multicast}{.dst_fmt.src_fmt} [taddr], s-desc;
#include "ptx/isa/tcgen05/tcgen05.h"

namespace gpuloom::ptx {
void register_tcgen05_cp(IsaBuilder& isa) {
  isa.instruction("tcgen05.cp", "9.7.16.9.2", "Copy from shared to tensor memory, asynchronously.");
  for (const char* syntax : {"tcgen05.cp.cta_group.shape{.multicast} [taddr], s:b64",
                             "tcgen05.cp.cta_group.shape{.multicast}.b8x16.src_fmt [taddr], s:b64"}) {
    FormBuilder form = tcgen05_form(isa, syntax);
    form.set(".cta_group", kCtaGroups)
        .set(".shape", ".128x256b .4x256b .128x128b .64x128b .32x128b")
        .set(".multicast", ".warpx2::02_13 .warpx2::01_23 .warpx4");
    if (std::string_view(syntax).find("src_fmt") != std::string_view::npos)
      form.set(".src_fmt", ".b6x16_p32 .b4x16_p64");
  }
}

}  // namespace gpuloom::ptx
