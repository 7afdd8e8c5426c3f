// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.12.7 exit
//
//   exit;
#include "ptx/exec/simt.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void exit_thread(Warp& w, const Instr&, uint32_t lanes) { exit_lanes(w, lanes); }

}  // namespace

void register_control_exit(IsaBuilder& isa) {
  isa.instruction("exit", "9.7.12.7", "Terminate a thread.");
  isa.form("exit").kind(InstrKind::kExit).op(OpClass::exit).meaning(exit_thread);
}

}  // namespace gpuloom::ptx
