// SPDX-License-Identifier: Apache-2.0
// What nvcc's host code calls before main: kernels and variables of each translation unit.
#include <string_view>

#include "sim/cudart/process.h"
#include "sim/frontend/fatbin.h"

namespace gpuloom::cudart {
namespace {

// A fatbin says itself how long it is: 16 bytes of header, then the entries.
std::string_view container_at(const void* data) {
  const auto* bytes = static_cast<const char*>(data);
  return {bytes, frontend::fatbin_bytes(bytes)};
}

std::vector<std::string_view> containers_of(const FatbinWrapper& wrapper) {
  std::vector<std::string_view> all;
  if (wrapper.version >= 2 && wrapper.more != nullptr)
    for (const void* const* unit = wrapper.more; *unit != nullptr; ++unit) all.push_back(container_at(*unit));
  else
    all.push_back(container_at(wrapper.data));
  return all;
}

host::Image& image_of(void** handle) { return *reinterpret_cast<host::Image*>(handle); }

// Registration never fails for the program: what is wrong with an image shows where it is used.
template <class F>
void registered(F&& body) {
  host::Runtime& r = runtime();
  const std::lock_guard<std::mutex> lock(r.mutex());
  body(r);
}

}  // namespace

GPULOOM_CUDA void** __cudaRegisterFatBinary(const void* fatbin) {
  void** handle = nullptr;
  registered([&](host::Runtime& r) {
    const auto* wrapper = static_cast<const FatbinWrapper*>(fatbin);
    std::vector<std::string_view> containers;
    if (wrapper->magic == kFatbinWrapperMagic) containers = containers_of(*wrapper);
    host::Image& image = r.programs().add_image(std::move(containers));
    image.bodies_later = true;
    handle = reinterpret_cast<void**>(&image);
  });
  return handle;
}

GPULOOM_CUDA void __cudaRegisterFatBinaryEnd(void**) {}

GPULOOM_CUDA void __cudaUnregisterFatBinary(void**) {
  // Other destructors may still launch; memory goes with the process.
}

GPULOOM_CUDA void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*,
                                         void*, void*, void*, int*) {
  registered([&](host::Runtime& r) { r.programs().add_function(image_of(handle), stub, name); });
}

GPULOOM_CUDA void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, size_t size,
                                    int, int) {
  registered([&](host::Runtime& r) { r.programs().add_variable(image_of(handle), shadow, name, size); });
}

GPULOOM_CUDA void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                           size_t size, int, int) {
  registered([&](host::Runtime& r) {
    host::Image& image = image_of(handle);
    host::Variable& variable = r.programs().add_variable(image, pointer, name, size);
    variable.managed = pointer;
    image.managed.push_back(&variable);
  });
}

GPULOOM_CUDA void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
GPULOOM_CUDA void __cudaRegisterUnifiedTable(void**, void*) {}

// Before the first use of a managed variable by the host.
GPULOOM_CUDA char __cudaInitModule(void** handle) {
  call([&](host::Runtime&, host::Context& c) { image_of(handle).load(c.device()); });
  return 1;
}

GPULOOM_CUDA int __cudaGetKernel(KernelHandle* kernel, const void* stub) {
  return call_anyway(
      [&](host::Runtime& r) { *kernel = reinterpret_cast<KernelHandle>(&r.programs().function(stub)); });
}

GPULOOM_CUDA int cudaGetKernel(KernelHandle* kernel, const void* stub) {
  return __cudaGetKernel(kernel, stub);
}

GPULOOM_CUDA int cudaGetFuncBySymbol(KernelHandle* function, const void* stub) {
  return __cudaGetKernel(function, stub);
}

}  // namespace gpuloom::cudart
