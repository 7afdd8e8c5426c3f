// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.12.6 ret
//
//   ret{.uni};
//
// In an entry function it ends the thread.
#include "ptx/exec/simt.h"
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void ret(Warp& w, const Instr&, uint32_t lanes) { return_lanes(w, lanes); }

OpClass op_of(const FormUse& use) {
  return use.function() != nullptr && use.function()->is_entry ? OpClass::exit : OpClass::ret;
}

}  // namespace

void register_control_ret(IsaBuilder& isa) {
  isa.instruction("ret", "9.7.12.6", "Return from function to instruction after call.");
  isa.form("ret{.uni}").kind(InstrKind::kReturn).op(op_of).meaning(ret);
}

}  // namespace gpuloom::ptx
