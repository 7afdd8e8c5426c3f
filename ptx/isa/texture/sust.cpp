// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.2 sust
//
//   sust.b.geom{.cop}{.vec}.ctype.mode [a, b], c;
//   sust.p.geom{.vec}.b32.mode [a, b], c;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_sust(IsaBuilder& isa) {
  isa.instruction("sust", "9.7.11.2", "Store to a surface.");
  isa.form("sust.b.geom{.cop}{.vec}.ctype.mode [a, b], c*")
      .set(".geom", ".1d .2d .3d .a1d@3.0 .a2d@3.0")
      .set(".cop", ".wb .cg .cs .wt")
      .set(".vec", ".v2 .v4")
      .set(".ctype", ".b8 .b16 .b32 .b64")
      .set(".mode", ".trap .clamp .zero")
      .relaxed()
      .since("1.5")
      .not_modelled("surfaces are not modelled yet");
  isa.form("sust.p.geom{.cop}{.vec}.ctype.mode [a, b], c*")
      .set(".geom", ".1d .2d .3d")
      .set(".cop", ".wb .cg .cs .wt")
      .set(".vec", ".v2 .v4")
      .set(".ctype", ".b32 .u32 .s32 .f32")
      .set(".mode", ".trap .clamp .zero")
      .since("1.5")
      .not_modelled("surfaces are not modelled yet");
}

}  // namespace gpuloom::ptx
