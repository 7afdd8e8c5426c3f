// SPDX-License-Identifier: Apache-2.0
// What programs ask NVML before they start. Own declarations, for toolkits may lack its header.
#include <dlfcn.h>

#include <cstring>
#include <string>

#include "check.h"

namespace {

struct Memory {
  unsigned long long total, free, used;
};

template <class F>
F* function(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

}  // namespace

int main() {
  void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  CHECK(nvml != nullptr);
  if (nvml == nullptr) return verdict();
  unsigned count = 0;
  void* device = nullptr;
  char text[96] = "";
  Memory memory = {};
  auto* const get_count = function<int(unsigned*)>(nvml, "nvmlDeviceGetCount_v2");
  CHECK(get_count(&count) == 1);  // not initialised
  CHECK(function<int()>(nvml, "nvmlInit_v2")() == 0);
  CHECK(get_count(&count) == 0 && count >= 1);
  CHECK(function<int(unsigned, void**)>(nvml, "nvmlDeviceGetHandleByIndex_v2")(count, &device) == 2);
  CHECK(function<int(unsigned, void**)>(nvml, "nvmlDeviceGetHandleByIndex_v2")(0, &device) == 0);
  auto* const get_name = function<int(void*, char*, unsigned)>(nvml, "nvmlDeviceGetName");
  CHECK(get_name(device, text, 2) == 7 && get_name(device, text, sizeof text) == 0);
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK(std::string(text) == properties.name);
  CHECK(function<int(void*, Memory*)>(nvml, "nvmlDeviceGetMemoryInfo")(device, &memory) == 0);
  CHECK(memory.total >= memory.used && memory.free + memory.used <= memory.total);
  int major = 0, minor = 0;
  CHECK(function<int(void*, int*, int*)>(nvml, "nvmlDeviceGetCudaComputeCapability")(device, &major,
                                                                                     &minor) == 0);
  CHECK(major == properties.major && minor == properties.minor);
  CHECK(function<int()>(nvml, "nvmlShutdown")() == 0 && get_count(&count) == 1);
  return verdict();
}
