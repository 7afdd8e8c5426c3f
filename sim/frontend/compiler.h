// SPDX-License-Identifier: Apache-2.0
// CUDA C++ to PTX by the compiler of the machine, where there is one.
#pragma once
#include <string>
#include <vector>

namespace gpuloom::frontend {

// nvcc of $NVCC, $CUDA_HOME, $CUDA_PATH, the search path, /usr/local/cuda or `scripts/setup --nvcc`, else the
// newest clang++; "" where there is none, or where $NVCC names what is not there.
std::string find_cuda_compiler();

// PTX of `path` for `target` ("sm_90a"). `arguments` come after ours, and an -arch or -gencode among them
// replaces ours. `one_of_several`: what it does not define is linked later. Throws Error: kUsage where there
// is not a compiler, kInput with what the compiler says.
std::string compile_cuda(const std::string& path, const std::string& target,
                         const std::vector<std::string>& arguments, bool one_of_several = false);

}  // namespace gpuloom::frontend
