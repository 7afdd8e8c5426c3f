// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.19.1 brkpt
//
//   brkpt;
//
// Without a debugger there is nobody to continue the thread, so it stops the kernel like trap.
#include <bit>

#include "ptx/exec/fault.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void brkpt(Warp& w, const Instr& in, uint32_t lanes) {
  fault(w, in, static_cast<unsigned>(std::countr_zero(lanes)), FaultKind::kTrap, "hits a breakpoint");
}

}  // namespace

void register_misc_brkpt(IsaBuilder& isa) {
  isa.instruction("brkpt", "9.7.19.1", "Suspend execution at a breakpoint.");
  isa.form("brkpt").kind(InstrKind::kPlain).op(OpClass::bpt).meaning(brkpt);
}

}  // namespace gpuloom::ptx
