// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.5.15 ldmatrix
//
//   ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, [p];
//   ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 r, [p];                        sm_100
//   ldmatrix.sync.aligned.m8n16.num{.ss}.dst_fmt.src_fmt r, [p];                  sm_100
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/matrix_rows.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 1);
  in.aux = encode_matrices(use);
}

std::string check(const FormUse& use) { return matrices_problem(use, 0); }

void ldmatrix(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_lanes(w, in, lanes, ~0u);
  if (lanes == 0) return;
  uint8_t* rows[32];
  locate_rows(w, in, lanes, in.ops[1], AccessOp::kMatrixLoad, rows);
  uint32_t words[4][32] = {};
  const int count = in.aux & kCountMask;
  for (int r = 0; r < count * 8; ++r)
    if (rows[r] != nullptr) std::memcpy(&words[r / 8][r % 8 * 4], rows[r], 16);
  for (int k = 0; k < count; ++k) {
    if ((in.aux & kTransposed) != 0) transpose_8x8(words[k], words[k]);
    std::memcpy(list_row<uint32_t>(w, in.ops[0], k), words[k], sizeof words[k]);
  }
}

}  // namespace

void register_matrix_ldmatrix(IsaBuilder& isa) {
  isa.instruction("ldmatrix", "9.7.14.5.15", "Load matrices of 8 x 8 from shared memory, one warp.");
  isa.form("ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 d+:any, [p]")
      .set(".num", ".x1 .x2 .x4")
      .set(".ss", ".shared .shared::cta@7.8")
      .kind(InstrKind::kLoad)
      .op(OpClass::ldsm)
      .encode(encode)
      .check(check)
      .meaning(ldmatrix)
      .since("6.5")
      .needs("sm_75");
  isa.form("ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 d+:any, [p]")
      .set(".num", ".x1 .x2")
      .set(".ss", ".shared .shared::cta")
      .since("8.6")
      .needs("sm_100a sm_100f sm_110f sm_120a sm_120f")
      .not_modelled("matrices of 8-bit and narrower elements of sm_100 are not modelled yet");
  isa.form("ldmatrix.sync.aligned.m16n16.num.trans{.ss}.dst_fmt.src_fmt d+:any, [p]")
      .set(".num", ".x1 .x2")
      .set(".ss", ".shared .shared::cta")
      .set(".dst_fmt", ".b8x16")
      .set(".src_fmt", ".b6x16_p32 .b4x16_p64")
      .since("8.6")
      .needs("sm_100a sm_100f sm_110f sm_120a sm_120f")
      .not_modelled("matrices of 8-bit and narrower elements of sm_100 are not modelled yet");
  isa.form("ldmatrix.sync.aligned.m8n16.num{.ss}.dst_fmt.src_fmt d+:any, [p]")
      .set(".num", ".x1 .x2 .x4")
      .set(".ss", ".shared .shared::cta")
      .set(".dst_fmt", ".b8x16")
      .set(".src_fmt", ".b6x16_p32 .b4x16_p64")
      .since("8.6")
      .needs("sm_100a sm_100f sm_110f sm_120a sm_120f")
      .not_modelled("matrices of 8-bit and narrower elements of sm_100 are not modelled yet");
}

}  // namespace gpuloom::ptx
