// SPDX-License-Identifier: Apache-2.0
// Modules and libraries that programs load: PTX, fatbins, files of either. Both kinds of handle are the
// runtime's libraries; CUfunction and CUkernel are the runtime's kernels.
#include <algorithm>
#include <cstring>
#include <string>

#include "sim/cuda/driver.h"
#include "sim/host/function.h"

namespace gpuloom::driver {
namespace {

using cudart::KernelHandle;
using cudart::LibraryHandle;

// CUjit_option: where the caller wants messages.
enum : int { kInfoLog = 3, kInfoLogBytes = 4, kErrorLog = 5, kErrorLogBytes = 6 };

size_t value_of(void* const* values, unsigned k) { return reinterpret_cast<size_t>(values[k]); }

// Puts the last call's message where the options ask for it; the sizes become what was written.
void fill_logs(unsigned count, const int* options, void** values, const std::string& message) {
  if (options == nullptr || values == nullptr) return;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] != kErrorLog && options[k] != kInfoLog) continue;
    const int size_option = options[k] + 1;
    const int* size = std::find(options, options + count, size_option);
    if (size == options + count || values[k] == nullptr) continue;
    const auto at = static_cast<unsigned>(size - options);
    const size_t room = value_of(values, at);
    if (room == 0) continue;
    const std::string text = options[k] == kErrorLog ? message : "";
    const size_t length = std::min(text.size(), room - 1);
    std::memcpy(values[k], text.data(), length);
    static_cast<char*>(values[k])[length] = '\0';
    values[at] = reinterpret_cast<void*>(length);
  }
}

}  // namespace

extern "C" int cudaLibraryLoadData(LibraryHandle*, const void*, void*, void*, unsigned, void*, void*,
                                   unsigned);
extern "C" int cudaLibraryLoadFromFile(LibraryHandle*, const char*, void*, void*, unsigned, void*, void*,
                                       unsigned);

GPULOOM_CUDA int cuLibraryLoadData(LibraryHandle* library, const void* code, int* options, void** values,
                                   unsigned count, void*, void*, unsigned) {
  return after_init([&] {
    const int status = cudaLibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
    fill_logs(count, options, values, status != 0 ? cudart::thread_state().message : "");
    return status;
  });
}

GPULOOM_CUDA int cuLibraryLoadFromFile(LibraryHandle* library, const char* path, int* options, void** values,
                                       unsigned count, void*, void*, unsigned) {
  return after_init([&] {
    const int status = cudaLibraryLoadFromFile(library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
    fill_logs(count, options, values, status != 0 ? cudart::thread_state().message : "");
    return status;
  });
}

GPULOOM_CUDA int cuModuleLoadDataEx(LibraryHandle* module, const void* code, unsigned count, int* options,
                                    void** values) {
  return in_context(
      [&] { return cuLibraryLoadData(module, code, options, values, count, nullptr, nullptr, 0); });
}

GPULOOM_CUDA int cuModuleLoadData(LibraryHandle* module, const void* code) {
  return cuModuleLoadDataEx(module, code, 0, nullptr, nullptr);
}

GPULOOM_CUDA int cuModuleLoadFatBinary(LibraryHandle* module, const void* code) {
  return cuModuleLoadDataEx(module, code, 0, nullptr, nullptr);
}

GPULOOM_CUDA int cuModuleLoad(LibraryHandle* module, const char* path) {
  return in_context(
      [&] { return cuLibraryLoadFromFile(module, path, nullptr, nullptr, 0, nullptr, nullptr, 0); });
}

GPULOOM_SAME(cuModuleUnload, cudaLibraryUnload, (LibraryHandle module), module)
GPULOOM_SAME(cuLibraryUnload, cudaLibraryUnload, (LibraryHandle library), library)
GPULOOM_SAME(cuModuleGetFunction, cudaLibraryGetKernel,
             (KernelHandle * function, LibraryHandle module, const char* name), function, module, name)
GPULOOM_SAME(cuLibraryGetKernel, cudaLibraryGetKernel,
             (KernelHandle * kernel, LibraryHandle library, const char* name), kernel, library, name)
GPULOOM_SAME(cuModuleGetFunctionCount, cudaLibraryGetKernelCount, (unsigned* count, LibraryHandle module),
             count, module)
GPULOOM_SAME(cuLibraryGetKernelCount, cudaLibraryGetKernelCount, (unsigned* count, LibraryHandle library),
             count, library)
GPULOOM_SAME(cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels,
             (KernelHandle * functions, unsigned count, LibraryHandle module), functions, count, module)
GPULOOM_SAME(cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels,
             (KernelHandle * kernels, unsigned count, LibraryHandle library), kernels, count, library)
GPULOOM_SAME(cuLibraryGetManaged, cudaLibraryGetManaged,
             (void** pointer, size_t* bytes, LibraryHandle library, const char* name), pointer, bytes,
             library, name)
GPULOOM_SAME(cuModuleGetGlobal_v2, cudaLibraryGetGlobal,
             (void** pointer, size_t* bytes, LibraryHandle module, const char* name), pointer, bytes, module,
             name)
GPULOOM_SAME(cuLibraryGetGlobal, cudaLibraryGetGlobal,
             (void** pointer, size_t* bytes, LibraryHandle library, const char* name), pointer, bytes,
             library, name)

GPULOOM_CUDA int cuLibraryGetModule(LibraryHandle* module, LibraryHandle library) {
  return in_context([&]() -> int {
    if (module == nullptr || library == nullptr) return kInvalidValue;
    *module = library;
    return kSuccess;
  });
}

GPULOOM_CUDA int cuKernelGetFunction(KernelHandle* function, KernelHandle kernel) {
  return call([&](host::Runtime& r, host::Context&) {
    host::require(function != nullptr);
    r.programs().function(kernel);
    *function = kernel;
  });
}

GPULOOM_CUDA int cuModuleGetLoadingMode(int* mode) {
  if (mode == nullptr) return kInvalidValue;
  constexpr int kEager = 1;
  *mode = kEager;
  return kSuccess;
}

}  // namespace gpuloom::driver
