// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.11.3 sured
//
//   sured.b.op.geom.ctype.mode [a, b], c;
//   sured.p.op.geom.ctype.mode [a, b], c;
#include "ptx/exec/atomic_ops.h"
#include "ptx/isa/texture/surface_use.h"

namespace gpuloom::ptx {
namespace {

// Without a sign of its own, the type of an operation on bits.
Type reduced_type(const FormUse& use) {
  const Type type = use.type(".ctype");
  const bool bitwise = use.has(".and") || use.has(".or");
  if (bitwise) return bits(type) == 64 ? Type::kB64 : Type::kB32;
  if (type == Type::kB32) return Type::kU32;
  if (type == Type::kB64) return Type::kU64;
  return type == Type::kS64 && use.has(".add") ? Type::kU64 : type;
}

uint8_t operation(const FormUse& use) { return atomic_index(use.mod(".op").substr(1), reduced_type(use)); }

std::string check(const FormUse& use) {
  if (operation(use) == UINT8_MAX)
    return "there is no reduction " + std::string(use.mod(".op")) + std::string(use.mod(".ctype"));
  return check_surface(use, 0, 1, ".ctype");
}

void encode(const FormUse& use, Instr& in) {
  encode_surface(use, in, 1, ".ctype");
  in.aux = operation(use);
  SurfaceOperation op = SurfaceOperation::unpack(in.target);
  const Type type = reduced_type(use);
  const Type with_sign = type == Type::kU32 ? Type::kS32 : type == Type::kU64 ? Type::kS64 : type;
  const uint8_t other = atomic_index(use.mod(".op").substr(1), with_sign);
  op.signed_reduction = other == UINT8_MAX ? in.aux : other;
  in.target = op.pack();
}

FormBuilder common(FormBuilder form) {
  return form.set(".op", ".add .min .max .and .or")
      .set(".geom", ".1d .2d .3d")
      .set(".mode", ".trap .clamp .zero")
      .since("3.0")
      .needs("sm_20")
      .kind(InstrKind::kAtomic)
      .op(OpClass::sust)
      .check(check)
      .encode(encode);
}

}  // namespace

void register_texture_sured(IsaBuilder& isa) {
  isa.instruction("sured", "9.7.11.3", "Reduce on surface memory.");
  common(isa.form("sured.b.op.geom.ctype.mode [a, b], c"))
      .set(".ctype", ".u32 .u64 .s32 .b32 .s64@8.1,sm_50")
      .meaning(surface_reduce);
  common(isa.form("sured.p.op.geom.ctype.mode [a, b], c"))
      .set(".ctype", ".b32 .b64@8.1,sm_50")
      .meaning(surface_reduce_formatted);
}

}  // namespace gpuloom::ptx
