// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.12.3 bra
//
//   @p   bra{.uni}  tgt;
//        bra{.uni}  tgt;
#include "ptx/exec/simt.h"
#include "ptx/exec/warp.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void bra(Warp& w, const Instr& in, uint32_t lanes) {
  // Forward and all together: nothing can wait for anybody.
  if (lanes == w.lanes && in.target >= w.pc)
    w.pc = in.target;
  else
    branch(w, lanes, in.target);
}

}  // namespace

void register_control_bra(IsaBuilder& isa) {
  isa.instruction("bra", "9.7.12.3", "Branch to a target.");
  isa.form("bra{.uni} @tgt").kind(InstrKind::kBranch).op(OpClass::bra).meaning(bra);
}

}  // namespace gpuloom::ptx
