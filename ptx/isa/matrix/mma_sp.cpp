// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.6 mma.sp
//
//   mma.spvariant.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype  d, a, b, c, e, f;
//
// As mma, with half of A's elements left out: e says where the others stand, f which lanes hold e.
#include "ptx/exec/matrix/warp_multiply.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/shape.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

constexpr uint8_t kSaturate = 0x10, kSelector = 0x03;  // in Instr::aux

void encode(const FormUse& use, Instr& in) {
  in.imm = pack(mma_shape_of(use));
  in.aux = static_cast<uint8_t>(use.operand(5).value & kSelector);
  if (use.has(".satfinite")) in.aux |= kSaturate;
}

std::string check(const FormUse& use) {
  const MatrixShape s = mma_shape_of(use);
  std::string problem = list_problem(use, 0, registers_for(s.m * s.n, s.d), s.d, "d");
  if (problem.empty()) problem = list_problem(use, 1, registers_for(s.m * s.k / 2, s.a), s.a, "a");
  if (problem.empty()) problem = list_problem(use, 2, registers_for(s.n * s.k, s.b), s.b, "b");
  if (problem.empty()) problem = list_problem(use, 3, registers_for(s.m * s.n, s.c), s.c, "c");
  if (!problem.empty()) return problem;
  const int64_t selector = use.operand(5).value, choices = 4 / metadata_lanes(s);
  if (selector >= 0 && selector < choices) return {};
  return choices == 1 ? "the sparsity selector must be 0 here"
                      : "the sparsity selector must be 0 to " + std::to_string(choices - 1) + " here";
}

void mma_sp(Warp& w, const Instr& in, uint32_t lanes) {
  if (sync_lanes(w, in, lanes, ~0u) == 0) return;
  MultiplyOptions options;
  options.saturate = (in.aux & kSaturate) != 0;
  multiply_sparse_fragments(w, {in.ops[0], in.ops[1], in.ops[2], in.ops[3]}, unpack_shape(in.imm),
                            source<uint32_t>(w, in.ops[4]), in.aux & kSelector, options);
}

// What the machine does for a compressed A of this many bits along k.
OpClass class_of(const FormUse& use) {
  const MatrixShape s = mma_shape_of(use);
  const int depth_bits = s.k / 2 * static_cast<int>(bits(s.a));
  if (bits(s.a) == 8 && is_float(s.a)) return OpClass::qmma_16832;
  if (is_float(s.a)) return depth_bits <= 128 ? OpClass::hmma_1688 : OpClass::hmma_16816;
  return depth_bits <= 128 ? OpClass::imma_16816 : OpClass::imma_16832;
}

constexpr const char* kSyntax =
    "mma.spvariant.sync.aligned.shape.row.col.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any, e:b32, "
    "#f:u32";
constexpr const char* kSyntaxSaturating =
    "mma.spvariant.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d+:any, a+:any, b+:any, "
    "c+:any, e:b32, #f:u32";
// Forms of sm_120: kinds of 4 to 8-bit floats, with scales for blocks of them.
constexpr const char* kSyntaxKind =
    "mma.spvariant.sync.aligned.shape.row.col.kind.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any, "
    "e:b32, #f:u32";
constexpr const char* kSyntaxScaled =
    "mma.spvariant.sync.aligned.shape.row.col.kind.block_scale{.scale_vec_size}.dtype.atype.btype.ctype."
    "stype "
    "d+:any, a+:any, b+:any, c+:any, e:b32, #f:u32, sa:any, sai+:any, sb:any, sbi+:any";

FormBuilder sparse(IsaBuilder& isa, const char* syntax, std::string_view types_ab,
                   std::string_view types_cd) {
  FormBuilder form = isa.form(syntax);
  form.set(".spvariant", ".sp .sp::ordered_metadata@8.5")
      .set(".dtype", types_cd)
      .set(".atype", types_ab)
      .set(".btype", types_ab)
      .set(".ctype", types_cd)
      .kind(InstrKind::kWarpSync)
      .op(class_of)
      .encode(encode)
      .check(check)
      .meaning(mma_sp)
      .since("7.1")
      .needs("sm_80");
  return form;
}

FormBuilder beyond(IsaBuilder& isa, const char* syntax, std::string_view reason) {
  FormBuilder form = isa.form(syntax);
  form.set(".spvariant", ".sp::ordered_metadata")
      .since("8.7")
      .needs("sm_120a sm_120f sm_121a")
      .not_modelled(reason);
  return form;
}

}  // namespace

void register_matrix_mma_sp(IsaBuilder& isa) {
  isa.instruction("mma", "9.7.14.6", "Multiply and add matrices, the first one sparse, one warp.");
  sparse(isa, kSyntax, ".f16", ".f16 .f32").set(".shape", ".m16n8k16 .m16n8k32");
  sparse(isa, kSyntax, ".bf16", ".f32").set(".shape", ".m16n8k16 .m16n8k32");
  sparse(isa, kSyntax, ".tf32", ".f32").set(".shape", ".m16n8k8 .m16n8k16");
  sparse(isa, kSyntax, ".e4m3 .e5m2", ".f32 .f16@8.7").set(".shape", ".m16n8k64").since("8.4").needs("sm_89");
  sparse(isa, kSyntaxSaturating, ".u8 .s8", ".s32").set(".shape", ".m16n8k32 .m16n8k64");
  sparse(isa, kSyntaxSaturating, ".u4 .s4", ".s32").set(".shape", ".m16n8k64 .m16n8k128");
  beyond(isa, kSyntaxKind, "the tensor cores of sm_120 are not modelled yet")
      .set(".shape", ".m16n8k64")
      .set(".kind", ".kind::f8f6f4")
      .set(".dtype", ".f32 .f16")
      .set(".atype", ".e4m3 .e5m2 .e3m2 .e2m3 .e2m1")
      .set(".btype", ".e4m3 .e5m2 .e3m2 .e2m3 .e2m1")
      .set(".ctype", ".f32 .f16");
  beyond(isa, kSyntaxScaled, "block-scaled mma of sm_120 is not modelled yet")
      .set(".shape", ".m16n8k128 .m16n8k64")
      .set(".kind", ".kind::mxf4 .kind::mxf4nvf4 .kind::mxf8f6f4")
      .set(".scale_vec_size", ".scale_vec::1X .scale_vec::2X .scale_vec::4X")
      .set(".dtype", ".f32")
      .set(".atype", ".e2m1 .e4m3 .e5m2 .e3m2 .e2m3")
      .set(".btype", ".e2m1 .e4m3 .e5m2 .e3m2 .e2m3")
      .set(".ctype", ".f32")
      .set(".stype", ".ue8m0 .ue4m3");
}

}  // namespace gpuloom::ptx
