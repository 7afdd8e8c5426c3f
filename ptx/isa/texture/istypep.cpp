// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.6 istypep
//
//   istypep.type p, a;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_istypep(IsaBuilder& isa) {
  isa.instruction("istypep", "9.7.10.6", "Whether an address is that of a texture, sampler or surface.");
  isa.form("istypep.type p, a:b64")
      .set(".type", ".texref .samplerref .surfref")
      .since("4.0")
      .needs("sm_30")
      .not_modelled("textures are not modelled yet");
}

}  // namespace gpuloom::ptx
