// SPDX-License-Identifier: Apache-2.0
// Which operations ask the scheduler to go on with another warp. What ptxas does (SASS of the reference
// suite): an operation of fixed latency that stalls for three cycles or more yields (6,100 of 6,100), one
// that stalls for two does where ten cycles or more have been issued since the last yield or jump (180 of
// 185, and of 1,716 others 2); loads, stores, conversions, branches and barriers yield from twelve cycles on
// only.
#include "ptx/machine/latency.h"

namespace gpuloom::ptx {
namespace {

constexpr uint8_t kLongStall = 3, kShortStall = 2, kAnyStall = 12;
constexpr uint32_t kRun = 10;  // cycles

bool moves_control(OpClass op) {
  switch (op) {
    case OpClass::bra:
    case OpClass::brx:
    case OpClass::bsync:
    case OpClass::call:
    case OpClass::ret:
    case OpClass::exit:
    case OpClass::bar:
      return true;
    default:
      return false;
  }
}

bool waits_by_itself(const MachineModel& model, const MachineOp& op) {
  switch (op.op) {
    case OpClass::bssy:
    case OpClass::bmov:
    case OpClass::warpsync:
    case OpClass::membar:
    case OpClass::fence_async:
    case OpClass::ucgabar:
      return true;
    case OpClass::ldc:
      return !op.uniform;
    default:
      return moves_control(op.op) || multiplies_matrices(op.op) ||
             model.latency[static_cast<size_t>(op.op)].variable;
  }
}

}  // namespace

void set_yields(const MachineModel& model, MachineProgram& m) {
  uint32_t run = 0;
  for (MachineOp& op : m.ops) {
    const bool fixed = !waits_by_itself(model, op);
    op.yield = op.stall >= kAnyStall ||
               (fixed && (op.stall >= kLongStall || (op.stall == kShortStall && run >= kRun)));
    run = op.yield || moves_control(op.op) ? 0 : run + op.stall;
  }
}

}  // namespace gpuloom::ptx
