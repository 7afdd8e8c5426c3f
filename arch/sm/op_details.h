// SPDX-License-Identifier: Apache-2.0
// What lowering says of the instruction behind an operation (ptx::TimeRecord), in terms of the configuration.
#pragma once
#include "arch/sm/kernel_context.h"

namespace gpuloom::arch {

// Completes `info` of `op`: passes of shared memory, branches through registers, matrix products and groups.
void add_details(const SmConfig& config, const ptx::MachineOp& op, const ptx::TimeRecord& record,
                 OpInfo& info);

}  // namespace gpuloom::arch
