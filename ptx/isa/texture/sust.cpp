// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.2 sust
//
//   sust.b.geom{.cop}{.vec}.ctype.mode [a, b], c;
//   sust.p.geom{.vec}.b32.mode [a, b], c;
#include "ptx/isa/texture/surface_use.h"

namespace gpuloom::ptx {
namespace {

std::string check(const FormUse& use) { return check_surface(use, 0, 1, ".ctype"); }
void encode(const FormUse& use, Instr& in) { encode_surface(use, in, 1, ".ctype"); }

}  // namespace

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
      .kind(InstrKind::kStore)
      .op(OpClass::sust)
      .check(check)
      .encode(encode)
      .meaning(surface_store);
  isa.form("sust.p.geom{.cop}{.vec}.ctype.mode [a, b], c*")
      .set(".geom", ".1d .2d .3d")
      .set(".cop", ".wb .cg .cs .wt")
      .set(".vec", ".v2 .v4")
      .set(".ctype", ".b32 .u32 .s32 .f32")
      .set(".mode", ".trap .clamp .zero")
      .since("1.5")
      .kind(InstrKind::kStore)
      .op(OpClass::sust)
      .check(check)
      .encode(encode)
      .meaning(surface_store_formatted);
}

}  // namespace gpuloom::ptx
