// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.3 tex
//
//   tex{.lod}.geom.v4.dtype.ctype d{|p}, [a, {b, }c]{, lod}{, dPdx, dPdy}{, e}{, f};
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
void register_texture_tex(IsaBuilder& isa) {
  isa.instruction("tex", "9.7.10.3", "Fetch from a texture.");
  constexpr std::string_view kReason = "textures are not modelled yet";
  const auto common = [&](const char* syntax) {
    return isa.form(syntax)
        .set(".geom", ".1d .2d .3d .a1d@1.5 .a2d@1.5 .cube@1.5 .acube@3.0 .2dms@3.2 .a2dms@3.2")
        .set(".ctype", ".f32 .s32")
        .not_modelled(kReason);
  };
  for (const char* syntax :
       {"tex.geom.v4.dtype.ctype d:any{|p}, [a, c]{, e+:any}{, f:f32}",
        "tex.base.geom.v4.dtype.ctype d:any{|p}, [a, c]{, e+:any}{, f:f32}",
        "tex.level.geom.v4.dtype.ctype d:any{|p}, [a, c], lod:.ctype{, e+:any}{, f:f32}",
        "tex.grad.geom.v4.dtype.ctype d:any{|p}, [a, c], x+:any, y+:any{, e+:any}{, f:f32}"})
    common(syntax).set(".dtype", ".u32 .s32 .f32 .f16@4.2,sm_53");
  for (const char* syntax :
       {"tex.geom.v2.f16x2.ctype d:any{|p}, [a, c]{, e+:any}{, f:f32}",
        "tex.base.geom.v2.f16x2.ctype d:any{|p}, [a, c]{, e+:any}{, f:f32}",
        "tex.level.geom.v2.f16x2.ctype d:any{|p}, [a, c], lod:.ctype{, e+:any}{, f:f32}",
        "tex.grad.geom.v2.f16x2.ctype d:any{|p}, [a, c], x+:any, y+:any{, e+:any}{, f:f32}"})
    common(syntax).since("4.2").needs("sm_53");
}

}  // namespace gpuloom::ptx
