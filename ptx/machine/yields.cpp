// SPDX-License-Identifier: Apache-2.0
// Which operations ask the scheduler to go on with another warp. What ptxas does (SASS of the reference
// suite): an operation of fixed latency that stalls for three cycles or more yields (6,100 of 6,100), one
// that stalls for two does where ten cycles or more have been issued since the last yield or jump (180 of
// 185, and of 1,716 others 2); loads, stores, conversions, branches and barriers yield from twelve cycles on
// only.
#include "ptx/isa/table/op_traits.h"
#include "ptx/machine/latency.h"
#include "ptx/machine/node_questions.h"

namespace gpuloom::ptx {
namespace {

bool waits_by_itself(const MachineModel& model, const MachineOp& op) {
  if (is_constant_load(op.op)) return op.uniform == 0;
  return is(op.op, kWaitsByItself) || is(op.op, kMovesControl) || is(op.op, kMultipliesMatrices) ||
         model.latency[static_cast<size_t>(op.op)].variable;
}

}  // namespace

void set_yields(const MachineModel& model, MachineProgram& m) {
  const YieldHabits& habits = model.profile.yield;
  uint32_t run = 0;
  for (MachineOp& op : m.ops) {
    const bool fixed = !waits_by_itself(model, op);
    op.yield =
        op.stall >= habits.any_stall ||
        (fixed && (op.stall >= habits.fixed_stall || (op.stall >= habits.second_stall && run >= habits.run)));
    run = op.yield || is(op.op, kMovesControl) ? 0 : run + op.stall;
  }
}

}  // namespace gpuloom::ptx
