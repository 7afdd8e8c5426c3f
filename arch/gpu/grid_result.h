// SPDX-License-Identifier: Apache-2.0
// What a grid has come to: its place on the machine, its counters by instruction and by copy.
#pragma once
#include "arch/gpu/gpu.h"
#include "arch/host/grid.h"

namespace gpuloom::arch {

KernelResources resources_of(const ptx::Launch& launch, const ptx::MachineProgram& program);
LaunchFacts launch_facts(const GpuConfig& config, const Grid& grid);
void add_counts(InstructionCounts& sum, const InstructionCounts& c);
std::vector<InstructionCounts> instruction_counts(const Grid& grid);
std::vector<AsyncCounts> async_counts(const std::vector<Sm*>& sms, const Grid& grid);

}  // namespace gpuloom::arch
