// SPDX-License-Identifier: Apache-2.0
// From a decoded program to machine operations.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/machine/lowering.h"
#include "ptx/machine/machine_program.h"
#include "ptx/passes/pass.h"

namespace gpuloom::ptx {

struct LoweringOptions {
  Lowering lowering = Lowering::kMachine;
  PassControl control;         // passes that are left out, and who watches
  uint32_t max_registers = 0;  // a thread may use at most; 0: what the model and the directives allow
};

// `program` should come from build_program with reuse_rows off (more freedom for the schedule); rows are
// reused here at the end. Throws Error(kUnsupported) for an operation class that the model has no row for.
MachineProgram lower(const Program& program, const MachineModel& model, const LoweringOptions& options = {});

// Every pass between PTX and machine operations, in order: those of build_program first.
std::vector<PassInfo> lowering_passes();
// Rules of the pass `select`, which can be left out by name as passes can.
std::vector<std::string_view> selection_rules();

// PTX beside machine operations with pipes, stalls, scoreboards and registers, a block at a time.
std::string describe(const MachineProgram& machine);

}  // namespace gpuloom::ptx
