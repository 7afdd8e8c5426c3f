// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.3 sured
//
//   sured.b.op.geom.ctype.mode [a, b], c;
//   sured.p.op.geom.ctype.mode [a, b], c;
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_sured(IsaBuilder& isa) {
  isa.instruction("sured", "9.7.11.3", "Reduce on surface memory.");
  isa.form("sured.b.op.geom.ctype.mode [a, b], c")
      .set(".op", ".add .min .max .and .or")
      .set(".geom", ".1d .2d .3d")
      .set(".ctype", ".u32 .u64 .s32 .b32 .s64@8.1,sm_50")
      .set(".mode", ".trap .clamp .zero")
      .since("3.0")
      .needs("sm_20")
      .not_modelled("surfaces are not modelled yet");
  isa.form("sured.p.op.geom.ctype.mode [a, b], c")
      .set(".op", ".add .min .max .and .or")
      .set(".geom", ".1d .2d .3d")
      .set(".ctype", ".b32 .b64@8.1,sm_50")
      .set(".mode", ".trap .clamp .zero")
      .since("3.0")
      .needs("sm_20")
      .not_modelled("surfaces are not modelled yet");
}

}  // namespace gpuloom::ptx
