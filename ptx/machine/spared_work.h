// SPDX-License-Identifier: Apache-2.0
// Which operations other code would do without: conversions, divisions, the counting of loops, loads of
// shared memory that a wider one would bring along, fences. The switches of `ideal` take their time away.
#pragma once
#include "ptx/ir/program.h"

namespace gpuloom::ptx {

struct MachineProgram;

// Completes MachineProgram::records. Lowering does not, since it takes a while and few runs read it: whoever
// runs the program does where a switch asks (arch/sm/ideal_ops.h).
void find_spared_work(const Program& program, MachineProgram& machine);

}  // namespace gpuloom::ptx
