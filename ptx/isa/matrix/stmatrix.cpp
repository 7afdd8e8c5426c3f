// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.5.16 stmatrix
//
//   stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [p], r;
//   stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [p], r;                         sm_100
#include "ptx/exec/simt.h"
#include "ptx/isa/matrix/matrix_rows.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void encode(const FormUse& use, Instr& in) {
  encode_memory(use, in, 0);
  in.aux = encode_matrices(use);
}

std::string check(const FormUse& use) { return matrices_problem(use, 1); }

void stmatrix(Warp& w, const Instr& in, uint32_t lanes) {
  lanes = sync_lanes(w, in, lanes, ~0u);
  if (lanes == 0) return;
  uint8_t* rows[32];
  locate_rows(w, in, lanes, in.ops[0], AccessOp::kMatrixStore, rows);
  uint32_t words[4][32];
  const int count = in.aux & kCountMask;
  for (int k = 0; k < count; ++k) {
    std::memcpy(words[k], list_source<uint32_t>(w, in.ops[1], k), sizeof words[k]);
    if ((in.aux & kTransposed) != 0) transpose_8x8(words[k], words[k]);
  }
  for (int r = 0; r < count * 8; ++r)
    if (rows[r] != nullptr) std::memcpy(rows[r], &words[r / 8][r % 8 * 4], 16);
}

}  // namespace

void register_matrix_stmatrix(IsaBuilder& isa) {
  isa.instruction("stmatrix", "9.7.14.5.16", "Store matrices of 8 x 8 to shared memory, one warp.");
  isa.form("stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [p], r+:any")
      .set(".num", ".x1 .x2 .x4")
      .set(".ss", ".shared .shared::cta")
      .kind(InstrKind::kStore)
      .op(OpClass::stsm)
      .encode(encode)
      .check(check)
      .meaning(stmatrix)
      .since("7.8")
      .needs("sm_90");
  isa.form("stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [p], r+:any")
      .set(".num", ".x1 .x2 .x4")
      .set(".ss", ".shared .shared::cta")
      .since("8.6")
      .needs("sm_100a sm_100f sm_110f sm_120a sm_120f")
      .not_modelled("matrices of 8-bit elements of sm_100 are not modelled yet");
}

}  // namespace gpuloom::ptx
