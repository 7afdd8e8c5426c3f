// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.10.3 tex
//
//   tex{.lod}.geom.v4.dtype.ctype d{|p}, [a, {b, }c]{, lod}{, dPdx, dPdy}{, e}{, f};
//
// The meaning is exec/texture/fetch.h, measured on an H200 (tests/conformance/textures). CUDA arrays have
// neither samples (.2dms) nor a compare function (operand f), so that no object exists for which those could
// be right.
#include "ptx/isa/texture/texture_use.h"

namespace gpuloom::ptx {
namespace {

// Operands as written: d, [a, c], then the level or both derivatives, then the offsets.
unsigned extras(const FormUse& use) { return use.has(".level") ? 1 : use.has(".grad") ? 2 : 0; }

std::string check(const FormUse& use) {
  const std::string_view geometry = use.mod(".geom");
  if (std::string wrong = check_coordinates(use, 1); !wrong.empty()) return wrong;
  const bool packed = use.has(".f16x2"), half = use.mod(".dtype") == ".f16";
  const unsigned bits = half ? 16 : 32;
  if (std::string wrong = check_registers(use, 0, packed ? 2 : 4, bits, bits); !wrong.empty()) return wrong;
  if (use.mod(".ctype") == ".s32" && (geometry == ".cube" || geometry == ".acube"))
    return "cube maps have no integer coordinates";
  if (use.mod(".ctype") == ".s32" && use.has(".grad")) return "derivatives want coordinates of .f32";
  const unsigned first = 2 + extras(use);
  if (use.function() == nullptr) return {};
  const unsigned vector = vector_count(geometry);
  for (unsigned k = use.has(".grad") ? 2 : first; k < use.operand_count() && k <= first; ++k) {
    if (use.operand(k).kind == OperandKind::kNone) continue;
    if (use.element_count(k) < vector)
      return std::string(geometry) + " wants vectors of " + std::to_string(vector == 3 ? 4 : vector) +
             " here, not of " + std::to_string(use.element_count(k));
    if (k == first && (geometry == ".cube" || geometry == ".acube")) return "cube maps take no offsets";
  }
  return {};
}

void encode(const FormUse& use, Instr& in) {
  TextureOperation op;
  op.shape = shape_of(use.mod(".geom"));
  op.level = use.has(".level")  ? LevelSource::kOperand
             : use.has(".grad") ? LevelSource::kDerivatives
                                : LevelSource::kNone;
  op.result = use.has(".f16x2")             ? TextureResult::kF16x2
              : use.mod(".dtype") == ".f16" ? TextureResult::kF16
                                            : TextureResult::k32;
  op.integer_coordinates = use.mod(".ctype") == ".s32";
  op.separate_sampler = has_sampler(use, 1);
  op.plain_derivative = is_plain(use, 2);
  op.plain_offset = is_plain(use, 2 + extras(use));
  in.target = op.pack();
  in.space = Space::kTex;
}

constexpr std::string_view kGeometries = ".1d .2d .3d .a1d@1.5 .a2d@1.5 .cube@1.5 .acube@3.0";

void forms(IsaBuilder& isa, const std::string& lod, const std::string& operands) {
  for (const bool packed : {false, true}) {
    const std::string head =
        "tex" + lod + ".geom" + (packed ? ".v2.f16x2" : ".v4.dtype") + ".ctype d:any{|p}, [a, c]" + operands;
    const auto common = [&](FormBuilder form, std::string_view geometries) {
      form.set(".geom", geometries).set(".ctype", ".f32 .s32");
      if (packed) {
        form.since("4.2").needs("sm_53");
      } else {
        form.set(".dtype", ".u32 .s32 .f32 .f16@4.2,sm_53");
      }
      return form;
    };
    // First, so that the reference value is not taken for an offset.
    common(isa.form(head + "{, e+:any}, f:f32"), kGeometries)
        .not_modelled("depth comparison: no CUDA object has a compare function");
    const bool derivatives = lod == ".grad";
    common(isa.form(head + "{, e+:any}"), derivatives ? ".1d .2d .3d .a1d@1.5 .a2d@1.5" : kGeometries)
        .kind(InstrKind::kLoad)
        .op(OpClass::tex)
        .check(check)
        .encode(encode)
        .meaning(texture_fetch);
    if (derivatives)
      common(isa.form(head + "{, e+:any}"), ".cube@1.5 .acube@3.0")
          .not_modelled(
              "derivatives on cube maps: the driver's library computes them, and its rule is not known");
    common(isa.form(head + "{, e+:any}{, f:f32}"), ".2dms@3.2 .a2dms@3.2")
        .not_modelled("multisample textures: CUDA cannot make them");
  }
}

}  // namespace

void register_texture_tex(IsaBuilder& isa) {
  isa.instruction("tex", "9.7.10.3", "Fetch from a texture.");
  forms(isa, "", "");
  forms(isa, ".base", "");
  forms(isa, ".level", ", lod:.ctype");
  forms(isa, ".grad", ", x+:any, y+:any");
}

}  // namespace gpuloom::ptx
