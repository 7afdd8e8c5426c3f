// SPDX-License-Identifier: Apache-2.0
// The functions by which kernels without CUDA's headers (Numba's) wait for their whole grid. NVIDIA's
// libcudadevrt.a holds them as machine code; this is PTX of our own with the same names.
#pragma once
#include <string_view>

namespace gpuloom::driver {

// Whether an archive is NVIDIA's device runtime.
bool is_device_runtime(std::string_view archive);

// A unit for the linker that defines cudaCGGetIntrinsicHandle and cudaCGSynchronize.
std::string_view grid_functions();

}  // namespace gpuloom::driver
