// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.4 tld4
//
//   tld4.comp.geom.v4.dtype.f32 d{|p}, [a, {b, }c]{, e}{, f};
#include "ptx/isa/texture/texture_use.h"

namespace gpuloom::ptx {
namespace {

std::string check(const FormUse& use) {
  if (std::string wrong = check_coordinates(use, 1); !wrong.empty()) return wrong;
  if (std::string wrong = check_registers(use, 0, 4, 32, 32); !wrong.empty()) return wrong;
  if (use.function() == nullptr || use.operand_count() < 3 || use.operand(2).kind == OperandKind::kNone)
    return {};
  if (use.mod(".geom").ends_with("cube")) return "cube maps take no offsets";
  return use.element_count(2) < 2 ? "offsets are a vector of 2" : "";
}

void encode(const FormUse& use, Instr& in) {
  TextureOperation op;
  op.shape = shape_of(use.mod(".geom"));
  op.component = static_cast<uint8_t>(std::string_view("rgba").find(use.mod(".comp")[1]));
  op.separate_sampler = has_sampler(use, 1);
  op.plain_offset = is_plain(use, 2);
  in.target = op.pack();
  in.space = Space::kTex;
}

FormBuilder common(FormBuilder form) {
  return form.set(".comp", ".r .g .b .a")
      .set(".geom", ".2d .a2d@3.0 .cube@4.3 .acube@4.3")
      .set(".dtype", ".u32 .s32 .f32")
      .since("2.2")
      .needs("sm_20");
}

}  // namespace

void register_texture_tld4(IsaBuilder& isa) {
  isa.instruction("tld4", "9.7.10.4", "Fetch one component of four texels.");
  common(isa.form("tld4.comp.geom.v4.dtype.f32 d:any{|p}, [a, c]{, e+:any}, f:f32"))
      .not_modelled("depth comparison: no CUDA object has a compare function");
  common(isa.form("tld4.comp.geom.v4.dtype.f32 d:any{|p}, [a, c]{, e+:any}"))
      .kind(InstrKind::kLoad)
      .op(OpClass::tex)
      .check(check)
      .encode(encode)
      .meaning(texture_gather);
}

}  // namespace gpuloom::ptx
