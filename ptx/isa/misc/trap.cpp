// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.19.5 trap
//
//   trap;
#include <bit>

#include "ptx/exec/fault.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void trap(Warp& w, const Instr& in, uint32_t lanes) {
  fault(w, in, static_cast<unsigned>(std::countr_zero(lanes)), FaultKind::kTrap, "executes trap");
}

}  // namespace

void register_misc_trap(IsaBuilder& isa) {
  isa.instruction("trap", "9.7.19.5", "Abort execution.");
  isa.form("trap").kind(InstrKind::kTrap).op(OpClass::bpt).meaning(trap);
}

}  // namespace gpuloom::ptx
