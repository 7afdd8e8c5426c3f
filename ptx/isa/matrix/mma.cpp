// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.5 mma
//
//   mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype  d, a, b, c;
//
// One warp multiplies an M x K by a K x N matrix and adds an M x N one; fragments as
// ptx/exec/matrix/fragment.h says.
#include <bit>
#include <cmath>

#include "ptx/exec/matrix/fragment.h"
#include "ptx/exec/matrix/fragment_io.h"
#include "ptx/exec/matrix/multiply.h"
#include "ptx/exec/matrix/warp_multiply.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/shape.h"
#include "ptx/isa/table/isa_builder.h"
#include "ptx/numeric/half.h"

namespace gpuloom::ptx {
namespace {

constexpr uint8_t kSaturate = 0x10, kXor = 0x20, kRowA = 0x40,
                  kRowB = 0x80;  // in Instr::aux, above the rounding

void encode(const FormUse& use, Instr& in) {
  in.imm = pack(mma_shape_of(use));
  in.aux = static_cast<uint8_t>(rounding_of(use));
  if (use.has(".satfinite")) in.aux |= kSaturate;
  if (use.has(".xor")) in.aux |= kXor;
  if (use.mod(".alayout") != ".col") in.aux |= kRowA;
  if (use.mod(".blayout") == ".row") in.aux |= kRowB;
}

bool is_quad(const MatrixShape& s) { return s.m == 8 && s.k == 4 && s.a == Type::kF16; }

std::string check(const FormUse& use) {
  const MatrixShape s = mma_shape_of(use);
  const int products = is_quad(s) ? 4 : 1;
  const auto problem_of = [&](unsigned operand, int elements, Type type, std::string_view what) {
    return list_problem(use, operand, registers_for(products * elements, type), type, what);
  };
  std::string problem = problem_of(0, s.m * s.n, s.d, "d");
  if (problem.empty()) problem = problem_of(1, s.m * s.k, s.a, "a");
  if (problem.empty()) problem = problem_of(2, s.n * s.k, s.b, "b");
  if (problem.empty()) problem = problem_of(3, s.m * s.n, s.c, "c");
  return problem;
}

void mma(Warp& w, const Instr& in, uint32_t lanes) {
  if (sync_lanes(w, in, lanes, ~0u) == 0) return;
  MultiplyOptions options;
  options.saturate = (in.aux & kSaturate) != 0;
  options.xor_bits = (in.aux & kXor) != 0;
  options.rounding = in.aux & 0x0f;
  multiply_fragments(w, {in.ops[0], in.ops[1], in.ops[2], in.ops[3]}, unpack_shape(in.imm), options);
}

// m8n8k4 with f16: from sm_80 on ptxas calls a function that adds products up in f32, one after another, and
// not the tensor cores. An f16 result adds two halves of the sum to C in turn (SASS of ptxas 13.0, sm_90a:
// __cuda_sm_8x_mma_row_row_f32_f16_f16_f32 and its like; H200: the random kernels of tests/fuzz/kernels).
float half_element(const Warp& w, Place place, int lane, int i) {
  return numeric::half_to_float(static_cast<uint16_t>(read_element(w, place, lane, i, 16)));
}
float quad_sum(const float* a, const float* b, float c) {
  float sum = std::fma(a[0], b[0], 0.0f);
  for (int k = 1; k < 4; ++k) sum = std::fma(a[k], b[k], sum);
  return numeric::canonical(c + sum);
}
uint16_t quad_sum_f16(const float* a, const float* b, float c) {
  const float first = std::fma(a[1], b[1], a[0] * b[0]), second = std::fma(a[3], b[3], a[2] * b[2]);
  return numeric::float_to_half((c + first) + second);
}

// Four products at once.
void mma_quads(Warp& w, const Instr& in, uint32_t lanes) {
  if (sync_lanes(w, in, lanes, ~0u) == 0) return;
  const MatrixShape s = unpack_shape(in.imm);
  float a[4][8][4], b[4][8][4], c[4][64];  // B by columns
  const bool c_f32 = s.c == Type::kF32, d_f32 = s.d == Type::kF32;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const QuadCell at = quad_cell_of_a(lane, i, (in.aux & kRowA) != 0);
      a[at.product][at.row][at.column] = half_element(w, in.ops[1], lane, i);
      const QuadCell bt = quad_cell_of_b(lane, i, (in.aux & kRowB) != 0);
      b[bt.product][bt.column][bt.row] = half_element(w, in.ops[2], lane, i);
    }
    for (int i = 0; i < 8; ++i) {
      const QuadCell at = quad_cell_of_c(lane, i, c_f32);
      c[at.product][at.row * 8 + at.column] =
          c_f32 ? std::bit_cast<float>(read_element(w, in.ops[3], lane, i, 32))
                : half_element(w, in.ops[3], lane, i);
    }
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const QuadCell at = quad_cell_of_c(lane, i, d_f32);
      const float *row = a[at.product][at.row], *column = b[at.product][at.column];
      const float term = c[at.product][at.row * 8 + at.column];
      const uint32_t d =
          d_f32 ? std::bit_cast<uint32_t>(quad_sum(row, column, term)) : quad_sum_f16(row, column, term);
      write_element(w, in.ops[0], lane, i, d_f32 ? 32 : 16, d);
    }
}

LaneFn pick(const FormUse& use) { return is_quad(mma_shape_of(use)) ? mma_quads : mma; }

OpClass class_of(const FormUse& use) {
  const MatrixShape s = mma_shape_of(use);
  const int depth_bits = s.k * static_cast<int>(bits(s.a));
  if (s.a == Type::kF64) return OpClass::dmma;
  if (s.a == Type::kB1) return OpClass::bmma;
  if (is_quad(s)) return OpClass::hmma_884;
  if (bits(s.a) == 8 && is_float(s.a)) return OpClass::qmma_16832;
  if (is_float(s.a)) return depth_bits <= 128 ? OpClass::hmma_1688 : OpClass::hmma_16816;
  if (s.m == 8) return OpClass::imma_8816;
  return depth_bits <= 128 ? OpClass::imma_16816 : OpClass::imma_16832;
}

FormBuilder dense(IsaBuilder& isa, std::string_view syntax) {
  FormBuilder form = isa.form(syntax);
  form.kind(InstrKind::kWarpSync).op(class_of).encode(encode).check(check).meaning(pick);
  return form;
}

void float_forms(IsaBuilder& isa) {
  dense(isa, "mma.sync.aligned.shape.alayout.blayout.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m8n8k4")
      .set(".alayout", ".row .col")
      .set(".blayout", ".row .col")
      .set(".dtype", ".f16 .f32")
      .set(".atype", ".f16")
      .set(".btype", ".f16")
      .set(".ctype", ".f16 .f32")
      .since("6.4")
      .needs("sm_70");
  dense(isa, "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m16n8k8 .m16n8k16@7.0,sm_80")
      .set(".dtype", ".f16 .f32")
      .set(".atype", ".f16")
      .set(".btype", ".f16")
      .set(".ctype", ".f16 .f32")
      .since("6.5")
      .needs("sm_75");
  dense(isa, "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m16n8k8 .m16n8k16")
      .set(".dtype", ".f32")
      .set(".atype", ".bf16")
      .set(".btype", ".bf16")
      .set(".ctype", ".f32")
      .since("7.0")
      .needs("sm_80");
  dense(isa, "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m16n8k4 .m16n8k8")
      .set(".dtype", ".f32")
      .set(".atype", ".tf32")
      .set(".btype", ".tf32")
      .set(".ctype", ".f32")
      .since("7.0")
      .needs("sm_80");
  dense(isa, "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m16n8k32 .m16n8k16@8.7")
      .set(".dtype", ".f32 .f16@8.7")
      .set(".atype", ".e4m3 .e5m2")
      .set(".btype", ".e4m3 .e5m2")
      .set(".ctype", ".f32 .f16@8.7")
      .since("8.4")
      .needs("sm_89");
  dense(isa, "mma.sync.aligned.shape.row.col{.rnd}.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m8n8k4 .m16n8k4@7.8,sm_90 .m16n8k8@7.8,sm_90 .m16n8k16@7.8,sm_90")
      .set(".rnd", ".rn .rz .rm .rp")
      .set(".dtype", ".f64")
      .set(".atype", ".f64")
      .set(".btype", ".f64")
      .set(".ctype", ".f64")
      .since("7.0")
      .needs("sm_80");
}

void integer_forms(IsaBuilder& isa) {
  dense(isa,
        "mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m8n8k16 .m16n8k16@7.0,sm_80 .m16n8k32@7.0,sm_80")
      .set(".dtype", ".s32")
      .set(".atype", ".u8 .s8")
      .set(".btype", ".u8 .s8")
      .set(".ctype", ".s32")
      .since("6.5")
      .needs("sm_75");
  dense(isa,
        "mma.sync.aligned.shape.row.col{.satfinite}.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m8n8k32 .m16n8k32@7.0,sm_80 .m16n8k64@7.0,sm_80")
      .set(".dtype", ".s32")
      .set(".atype", ".u4 .s4")
      .set(".btype", ".u4 .s4")
      .set(".ctype", ".s32")
      .since("6.5")
      .needs("sm_75");
  dense(isa,
        "mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype.bitop.popc d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m8n8k128 .m16n8k128@7.0,sm_80 .m16n8k256@7.0,sm_80")
      .set(".dtype", ".s32")
      .set(".atype", ".b1")
      .set(".btype", ".b1")
      .set(".ctype", ".s32")
      .set(".bitop", ".xor .and@7.1,sm_80")
      .since("7.0")
      .needs("sm_75");
}

// Forms of sm_100 and sm_120 (PTX ISA 9.7.14.5.13 and 14).
void forms_not_modelled(IsaBuilder& isa) {
  isa.form(
         "mma.sync.aligned.shape.row.col.kind::f8f6f4.dtype.atype.btype.ctype d+:any, a+:any, b+:any, c+:any")
      .set(".shape", ".m16n8k32")
      .set(".dtype", ".f32 .f16")
      .set(".atype", ".e4m3 .e5m2 .e3m2 .e2m3 .e2m1")
      .set(".btype", ".e4m3 .e5m2 .e3m2 .e2m3 .e2m1")
      .set(".ctype", ".f32 .f16")
      .since("8.7")
      .needs("sm_120a sm_120f sm_121a")
      .not_modelled("the tensor cores of sm_120 are not modelled yet");
  isa.form(
         "mma.sync.aligned.shape.row.col.kind.block_scale{.scale_vec}.dtype.atype.btype.ctype.stype "
         "d+:any, a+:any, b+:any, c+:any, sa:any, sai+:any, sb:any, sbi+:any")
      .set(".shape", ".m16n8k64 .m16n8k32")
      .set(".kind", ".kind::mxf4 .kind::mxf4nvf4 .kind::mxf8f6f4")
      .set(".scale_vec", ".scale_vec::1X .scale_vec::2X .scale_vec::4X")
      .set(".dtype", ".f32")
      .set(".atype", ".e2m1 .e4m3 .e5m2 .e3m2 .e2m3")
      .set(".btype", ".e2m1 .e4m3 .e5m2 .e3m2 .e2m3")
      .set(".ctype", ".f32")
      .set(".stype", ".ue8m0 .ue4m3")
      .since("8.7")
      .needs("sm_120a sm_120f sm_121a")
      .not_modelled("block-scaled mma of sm_120 is not modelled yet");
}

}  // namespace

void register_matrix_mma(IsaBuilder& isa) {
  isa.instruction("mma", "9.7.14.5", "Multiply and add matrices, one warp.");
  float_forms(isa);
  integer_forms(isa);
  forms_not_modelled(isa);
}

}  // namespace gpuloom::ptx
