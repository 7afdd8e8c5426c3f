// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.4 tld4
//
//   tld4.comp.geom.v4.dtype.f32 d{|p}, [a, {b, }c]{, e}{, f};
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_tld4(IsaBuilder& isa) {
  isa.instruction("tld4", "9.7.10.4", "Fetch one component of four texels.");
  isa.form("tld4.comp.geom.v4.dtype.f32 d:any{|p}, [a, c]{, e+:any}{, f:f32}")
      .set(".comp", ".r .g .b .a")
      .set(".geom", ".2d .a2d@3.0 .cube@4.3 .acube@4.3")
      .set(".dtype", ".u32 .s32 .f32")
      .since("2.2")
      .needs("sm_20")
      .not_modelled("textures are not modelled yet");
}

}  // namespace gpuloom::ptx
