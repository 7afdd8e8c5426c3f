// SPDX-License-Identifier: Apache-2.0
// Machine code of a file's kernels, as a timed run would lower them, without running anything.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "ptx/ir/module.h"
#include "ptx/machine/machine_program.h"

namespace gpuloom::sim {

// The GPU of a configuration: its name, or a file. Throws Error (kInput).
arch::GpuConfig gpu_of(const std::string& config);

// Whether one of the patterns ('saxpy', 'lat_*', a demangled name) means the kernel; no pattern means all.
bool kernel_wanted(const std::string& name, const std::vector<std::string>& patterns);

// The entry's machine code on the model. Addresses of symbols are made up.
ptx::MachineProgram lower_entry(const ptx::Module& module, const ptx::Function& entry,
                                const ptx::MachineModel& model);

// A listing of the kernels that `patterns` mean: of PTX, CUDA C++ or an executable. Throws Error (kUsage)
// where none matches.
std::string describe_lowering(const std::string& file, const std::string& config,
                              const std::vector<std::string>& patterns);

}  // namespace gpuloom::sim
