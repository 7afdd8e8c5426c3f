// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.1 suld
//
//   suld.b.geom{.cop}{.vec}.dtype.mode d, [a, b];
//   suld.p.geom.v4.dtype.mode d, [a, b];           before PTX ISA 3.0
#include "ptx/isa/texture/surface_use.h"

namespace gpuloom::ptx {
namespace {

std::string check(const FormUse& use) { return check_surface(use, 1, 0, ".dtype"); }
void encode(const FormUse& use, Instr& in) { encode_surface(use, in, 0, ".dtype"); }

}  // namespace

void register_texture_suld(IsaBuilder& isa) {
  isa.instruction("suld", "9.7.11.1", "Load from a surface.");
  isa.form("suld.b.geom{.cop}{.vec}.dtype.mode d*, [a, b]")
      .set(".geom", ".1d .2d .3d .a1d@3.0 .a2d@3.0")
      .set(".cop", ".ca .cg .cs .cv")
      .set(".vec", ".v2 .v4")
      .set(".dtype", ".b8 .b16 .b32 .b64")
      .set(".mode", ".trap .clamp .zero")
      .relaxed()
      .since("1.5")
      .kind(InstrKind::kLoad)
      .op(OpClass::suld)
      .check(check)
      .encode(encode)
      .meaning(surface_load);
  isa.form("suld.p.geom{.cop}{.vec}.dtype.mode d*, [a, b]")
      .set(".geom", ".1d .2d .3d")
      .set(".cop", ".ca .cg .cs .cv")
      .set(".vec", ".v2 .v4")
      .set(".dtype", ".b32 .u32 .s32 .f32")
      .set(".mode", ".trap .clamp .zero")
      .since("1.5")
      .not_modelled("formatted surface loads are not modelled: PTX ISA 3.0 has dropped them");
}

}  // namespace gpuloom::ptx
