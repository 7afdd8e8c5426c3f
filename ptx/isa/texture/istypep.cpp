// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.6 istypep
//
//   istypep.type p, a;
#include "ptx/exec/texture/query.h"
#include "ptx/isa/texture/texture_use.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) {
  in.aux = static_cast<uint8_t>(use.mod(".type") == ".texref"       ? TextureUse::kTexture
                                : use.mod(".type") == ".samplerref" ? TextureUse::kSampler
                                                                    : TextureUse::kSurface);
}

}  // namespace

void register_texture_istypep(IsaBuilder& isa) {
  isa.instruction("istypep", "9.7.10.6", "Whether an address is that of a texture, sampler or surface.");
  isa.form("istypep.type p, a:b64")
      .set(".type", ".texref .samplerref .surfref")
      .since("4.0")
      .needs("sm_30")
      .op(OpClass::qspc)
      .encode(encode)
      .meaning(is_type);
}

}  // namespace gpuloom::ptx
