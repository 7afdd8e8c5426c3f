// SPDX-License-Identifier: Apache-2.0
// The device runtime (CUDA C++ guide, "dynamic parallelism"), as nvcc calls it: kernels that launch kernels.
//
// A kernel cannot wait for what it launches, and ends when that has ended. So Launch::launch_child may keep
// grids until the kernel's own blocks have ended.
#pragma once
#include <string_view>

namespace gpuloom::ptx {

class CallArguments;

// Null where the name is none of them, or one that is not modelled.
void (*device_runtime_function(std::string_view name))(CallArguments&);

}  // namespace gpuloom::ptx
