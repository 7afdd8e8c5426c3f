// SPDX-License-Identifier: Apache-2.0
// What the time of an operation needs to know of the PTX instruction behind it, beyond the operation class.
#pragma once
#include "arch/sm/kernel_context.h"

namespace gpuloom::arch {

// Completes `info` of `op`: passes of shared memory, kind of atomic, branches through registers, matrix
// shapes.
void add_details(const SmConfig& config, const ptx::Program& program, const ptx::MachineOp& op, OpInfo& info);

// Adding one to a word is an operation of its own (ATOMS.POPC.INC), in which lanes of one word go together.
SharedAtomic shared_atomic_of(const ptx::Program& program, const ptx::MachineOp& op);

}  // namespace gpuloom::arch
