// SPDX-License-Identifier: Apache-2.0
// NVRTC is the user's own; it makes PTX without a GPU. Programs that ask it for machine code get the PTX of
// the same compilation, which is what this driver loads. `gpuloom exec` sees to it that these two come before
// NVRTC's.
#include <dlfcn.h>

#include <cstddef>

#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

constexpr int kInternalError = 11;  // NVRTC_ERROR_INTERNAL_ERROR

template <class Function>
int forwarded(const char* name, void* program, Function* result) {
  auto* function = reinterpret_cast<int (*)(void*, Function*)>(dlsym(RTLD_DEFAULT, name));
  return function == nullptr ? kInternalError : function(program, result);
}

}  // namespace

GPULOOM_CUDA int nvrtcGetCUBINSize(void* program, size_t* bytes) {
  return forwarded("nvrtcGetPTXSize", program, bytes);
}

GPULOOM_CUDA int nvrtcGetCUBIN(void* program, char* code) { return forwarded("nvrtcGetPTX", program, code); }

}  // namespace gpuloom::driver
