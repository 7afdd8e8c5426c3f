// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14.5.17 movmatrix
//
//   movmatrix.sync.aligned.m8n8.trans.b16 d, a;
#include <cstring>

#include "ptx/exec/matrix/tile_access.h"
#include "ptx/exec/simt.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void movmatrix(Warp& w, const Instr& in, uint32_t lanes) {
  if (sync_lanes(w, in, lanes, ~0u) == 0) return;
  uint32_t words[32];
  transpose_8x8(source<uint32_t>(w, in.ops[1]), words);
  std::memcpy(row<uint32_t>(w, in.ops[0]), words, sizeof words);
}

}  // namespace

void register_matrix_movmatrix(IsaBuilder& isa) {
  isa.instruction("movmatrix", "9.7.14.5.17", "Transpose an 8 x 8 matrix in registers, one warp.");
  isa.form("movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32")
      .kind(InstrKind::kWarpSync)
      .op(OpClass::movm)
      .meaning(movmatrix)
      .since("7.8")
      .needs("sm_75");
}

}  // namespace gpuloom::ptx
