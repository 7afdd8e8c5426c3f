// SPDX-License-Identifier: Apache-2.0
// Machine code of a file's kernels, as a timed run would lower them, without running anything.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "ptx/ir/module.h"
#include "ptx/machine/machine_program.h"
#include "ptx/passes/pass.h"

namespace gpuloom::sim {

// The GPU of a configuration: its name, or a file. Throws Error (kInput).
arch::GpuConfig gpu_of(const std::string& config);

// Whether one of the patterns ('saxpy', 'lat_*', a demangled name) means the kernel; no pattern means all.
bool kernel_wanted(const std::string& name, const std::vector<std::string>& patterns);

// The entry's machine code on the model. Addresses of symbols are made up.
ptx::MachineProgram lower_entry(const ptx::Module& module, const ptx::Function& entry,
                                const ptx::MachineModel& model, const ptx::PassControl& control = {});

// What is asked of the passes of a lowering. Names are those of ptx::lowering_passes.
struct PassRequest {
  std::vector<std::string> dump_after;  // listings of what these leave; "all": each
  std::vector<std::string> without;  // these do not run; rules of selection (ptx::selection_rules) likewise
  bool time = false;                 // how long each takes
  bool verify = false;               // what each leaves is checked; throws Error (kInternal)
};

// A listing of the kernels that `patterns` mean: of PTX, CUDA C++ or an executable. Listings or times of
// passes stand in its place where they are asked for. Throws Error (kUsage) where no kernel matches, or for a
// pass that there is not or that cannot be left out.
std::string describe_lowering(const std::string& file, const std::string& config,
                              const std::vector<std::string>& patterns, const PassRequest& passes = {});

}  // namespace gpuloom::sim
