// SPDX-License-Identifier: Apache-2.0
// PTX ISA 9.7.14 griddepcontrol
//
//   griddepcontrol.action;    .action = { .launch_dependents, .wait }
//
// Without programmatic dependent launch there is nothing to wait for and nobody to launch; with it the engine
// acts on the instruction's kind. Instr::aux: 0 launch_dependents, 1 wait.
#include "ptx/isa/table/isa_builder.h"

namespace gpuloom::ptx {
namespace {

void griddepcontrol(Warp&, const Instr&, uint32_t) {}
void encode(const FormUse& use, Instr& in) { in.aux = use.has(".wait"); }

}  // namespace

void register_cluster_griddepcontrol(IsaBuilder& isa) {
  isa.instruction("griddepcontrol", "9.7.14", "Control the execution of dependent grids.");
  isa.form("griddepcontrol.action")
      .set(".action", ".launch_dependents .wait")
      .kind(InstrKind::kGridControl)
      .op(OpClass::acqbulk)
      .encode(encode)
      .meaning(griddepcontrol)
      .since("7.8")
      .needs("sm_90");
}

}  // namespace gpuloom::ptx
