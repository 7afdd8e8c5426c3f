// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.4.5 wmma.mma
//
//   wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c;                            f16
//   wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.dtype.atype.btype.ctype{.satfinite} d, a, b, c;
//   wmma.mma.op.popc.sync.aligned.row.col.shape.s32.b1.b1.s32 d, a, b, c;
//
// Fragments are in one layout whatever the layout in memory (fragment.h), so .row and .col change nothing
// here.
#include "ptx/exec/matrix/warp_multiply.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/wmma.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

constexpr uint8_t kSaturate = 0x10, kXor = 0x20;  // in Instr::aux, above the rounding

void encode(const FormUse& use, Instr& in) {
  in.imm = pack(mma_shape_of(use));
  in.aux = static_cast<uint8_t>(rounding_of(use));
  if (use.has(".satfinite")) in.aux |= kSaturate;
  if (use.has(".xor")) in.aux |= kXor;
}

std::string check(const FormUse& use) {
  const MatrixShape s = mma_shape_of(use);
  std::string problem = tile_problem(use, 0, {WmmaMatrix::kC, s, s.d, true}, "d");
  if (problem.empty()) problem = tile_problem(use, 1, {WmmaMatrix::kA, s, s.a, true}, "a");
  if (problem.empty()) problem = tile_problem(use, 2, {WmmaMatrix::kB, s, s.b, true}, "b");
  if (problem.empty()) problem = tile_problem(use, 3, {WmmaMatrix::kC, s, s.c, true}, "c");
  return problem;
}

void wmma_mma(Warp& w, const Instr& in, uint32_t lanes) {
  if (sync_lanes(w, in, lanes, ~0u) == 0) return;
  MultiplyOptions options;
  options.saturate = (in.aux & kSaturate) != 0;
  options.xor_bits = (in.aux & kXor) != 0;
  options.rounding = in.aux & 0x0f;
  multiply_fragments(w, {in.ops[0], in.ops[1], in.ops[2], in.ops[3]}, unpack_shape(in.imm), options);
}

// On sm_90, m16n16k16 is two m16n8k16 (SASS of wmma_gemm); the other shapes of its types are as large.
OpClass class_of(const FormUse& use) {
  const MatrixShape s = mma_shape_of(use);
  if (s.a == Type::kF64) return OpClass::dmma;
  if (s.a == Type::kB1) return OpClass::bmma;
  if (is_float(s.a)) return OpClass::hmma_pair;
  return bits(s.a) == 8 ? OpClass::imma_pair : OpClass::imma_8816;
}

FormBuilder form(IsaBuilder& isa, const char* syntax, std::string_view shapes, std::string_view types_ab,
                 std::string_view types_cd) {
  FormBuilder built = isa.form(syntax);
  built.set(".shape", shapes)
      .set(".dtype", types_cd)
      .set(".ctype", types_cd)
      .kind(InstrKind::kWarpSync)
      .op(class_of)
      .encode(encode)
      .check(check)
      .meaning(wmma_mma);
  if (!types_ab.empty()) built.set(".atype", types_ab).set(".btype", types_ab);
  return built;
}

#define OPERANDS " d+:any, a+:any, b+:any, c+:any"
constexpr const char* kHalf = "wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype" OPERANDS;
constexpr const char* kFloat = "wmma.mma.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype" OPERANDS;
constexpr const char* kDouble =
    "wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.dtype.atype.btype.ctype" OPERANDS;
constexpr const char* kInteger =
    "wmma.mma.sync.aligned.alayout.blayout.shape.dtype.atype.btype.ctype{.satfinite}" OPERANDS;
constexpr const char* kSubByte =
    "wmma.mma.sync.aligned.row.col.shape.dtype.atype.btype.ctype{.satfinite}" OPERANDS;
constexpr const char* kBits = "wmma.mma.op.popc.sync.aligned.row.col.shape.dtype.atype.btype.ctype" OPERANDS;
#undef OPERANDS

void layouts(FormBuilder built) { built.set(".alayout", ".row .col").set(".blayout", ".row .col"); }

}  // namespace

void register_matrix_wmma_mma(IsaBuilder& isa) {
  isa.instruction("wmma.mma", "9.7.14.4.5", "Multiply and add matrices loaded by wmma.load, one warp.");
  layouts(form(isa, kHalf, kWmmaShapes, "", ".f16 .f32").since("6.0").needs("sm_70"));
  layouts(form(isa, kFloat, kWmmaShapes, ".bf16", ".f32").since("7.0").needs("sm_80"));
  layouts(form(isa, kFloat, ".m16n16k8", ".tf32", ".f32").since("7.0").needs("sm_80"));
  layouts(form(isa, kDouble, ".m8n8k4", ".f64", ".f64")
              .set(".rnd", ".rn .rz .rm .rp")
              .since("7.0")
              .needs("sm_80"));
  layouts(form(isa, kInteger, kWmmaShapes, ".u8 .s8", ".s32").since("6.3").needs("sm_72"));
  form(isa, kSubByte, ".m8n8k32", ".u4 .s4", ".s32").since("6.3").needs("sm_75");
  form(isa, kBits, ".m8n8k128", ".b1", ".s32").set(".op", ".xor .and@7.1,sm_80").since("6.3").needs("sm_75");
}

}  // namespace gpuloom::ptx
