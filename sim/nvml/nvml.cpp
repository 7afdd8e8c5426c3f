// SPDX-License-Identifier: Apache-2.0
// The queries of NVML that programs make before they start: which devices there are, their memory, versions.
// NVML does not look at CUDA_VISIBLE_DEVICES. What a simulated GPU has no value for (power, temperature,
// processes) is answered as not supported.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/version.h"
#include "sim/cudart/process.h"
#include "sim/host/properties.h"
#include "sim/host/visible_devices.h"

namespace gpuloom::nvml {
namespace {

// nvmlReturn_t.
enum Result : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
  kUnknown = 999,
};

struct MemoryInfo {  // nvmlMemory_t
  unsigned long long total, free, used;
};
struct MemoryInfo2 {  // nvmlMemory_v2_t
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct PciInfo {  // nvmlPciInfo_t
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};
struct Utilization {  // nvmlUtilization_t
  unsigned gpu, memory;
};
using DeviceHandle = struct DeviceHandleTag*;

constexpr int kCudaVersion = 13000;  // as cudaDriverGetVersion answers
constexpr const char* kPciId = "00000000:01:00.0";

int& users() {
  static int count = 0;
  return count;
}

// Handles are numbers from 1 on.
DeviceHandle handle_of(unsigned device) { return reinterpret_cast<DeviceHandle>(uintptr_t{device} + 1); }

int copy(const std::string& text, char* out, unsigned bytes) {
  if (out == nullptr) return kInvalidArgument;
  if (bytes < text.size() + 1) return kInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return kSuccess;
}

template <class F>
int initialised(F&& body) {
  return users() == 0 ? static_cast<int>(kUninitialized) : body();
}

template <class F>
int of_device(DeviceHandle handle, F&& body) {
  return initialised([&]() -> int {
    const auto device = static_cast<unsigned>(reinterpret_cast<uintptr_t>(handle)) - 1;
    if (device >= cudart::runtime().known_devices()) return kInvalidArgument;
    int result = kSuccess;
    cudart::ThreadState& thread = cudart::thread_state();
    const auto last = thread.last;
    const bool within = std::exchange(thread.in_driver, true);  // asking makes no context current
    const int status = cudart::call_anyway([&](host::Runtime& r) { result = body(r.context(device)); });
    thread.in_driver = within;
    thread.last = last;
    return status == 0 ? result : static_cast<int>(kUnknown);
  });
}

std::string uuid_of(host::Context& c) { return host::device_uuid(c.device().config(), c.place()); }

int attribute(host::Context& c, int number) { return c.attributes().value(number).value_or(0); }

}  // namespace

GPULOOM_CUDA int nvmlInit_v2() {
  ++users();
  return kSuccess;
}
GPULOOM_CUDA int nvmlInit() { return nvmlInit_v2(); }
GPULOOM_CUDA int nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }
GPULOOM_CUDA int nvmlShutdown() {
  return initialised([]() -> int {
    --users();
    return kSuccess;
  });
}

GPULOOM_CUDA const char* nvmlErrorString(int result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kUninitialized:
      return "Uninitialized";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case kNotFound:
      return "Not Found";
    case kInsufficientSize:
      return "Insufficient Size";
    default:
      return "Unknown Error";
  }
}

GPULOOM_CUDA int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  return initialised([&] { return copy("gpuloom " + std::string(version()), text, bytes); });
}
GPULOOM_CUDA int nvmlSystemGetNVMLVersion(char* text, unsigned bytes) {
  return initialised([&] { return copy("gpuloom " + std::string(version()), text, bytes); });
}
GPULOOM_CUDA int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return kInvalidArgument;
  *version = kCudaVersion;
  return kSuccess;
}
GPULOOM_CUDA int nvmlSystemGetCudaDriverVersion(int* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

GPULOOM_CUDA int nvmlDeviceGetCount_v2(unsigned* count) {
  return initialised([&]() -> int {
    if (count == nullptr) return kInvalidArgument;
    *count = cudart::runtime().known_devices();
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }

GPULOOM_CUDA int nvmlDeviceGetHandleByIndex_v2(unsigned index, DeviceHandle* handle) {
  return initialised([&]() -> int {
    if (handle == nullptr || index >= cudart::runtime().known_devices()) return kInvalidArgument;
    *handle = handle_of(index);
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetHandleByIndex(unsigned index, DeviceHandle* handle) {
  return nvmlDeviceGetHandleByIndex_v2(index, handle);
}
GPULOOM_CUDA int nvmlDeviceGetHandleByUUID(const char* uuid, DeviceHandle* handle) {
  int result = kNotFound;
  for (unsigned k = 0; k < cudart::runtime().known_devices() && result == kNotFound; ++k)
    result = of_device(handle_of(k), [&](host::Context& c) -> int {
      if (uuid == nullptr || handle == nullptr) return kInvalidArgument;
      if (uuid_of(c) != uuid) return kNotFound;
      *handle = handle_of(k);
      return kSuccess;
    });
  return result;
}

GPULOOM_CUDA int nvmlDeviceGetIndex(DeviceHandle device, unsigned* index) {
  return of_device(device, [&](host::Context& c) -> int {
    if (index == nullptr) return kInvalidArgument;
    *index = c.number();
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetName(DeviceHandle device, char* text, unsigned bytes) {
  return of_device(device,
                   [&](host::Context& c) { return copy(host::device_name(c.device().gpu()), text, bytes); });
}
GPULOOM_CUDA int nvmlDeviceGetUUID(DeviceHandle device, char* text, unsigned bytes) {
  return of_device(device, [&](host::Context& c) { return copy(uuid_of(c), text, bytes); });
}
GPULOOM_CUDA int nvmlDeviceGetMemoryInfo(DeviceHandle device, MemoryInfo* memory) {
  return of_device(device, [&](host::Context& c) -> int {
    if (memory == nullptr) return kInvalidArgument;
    *memory = {c.memory().capacity(), c.memory().capacity() - c.memory().used(), c.memory().used()};
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetMemoryInfo_v2(DeviceHandle device, MemoryInfo2* memory) {
  return of_device(device, [&](host::Context& c) -> int {
    if (memory == nullptr) return kInvalidArgument;
    *memory = {memory->version, c.memory().capacity(), 0, c.memory().capacity() - c.memory().used(),
               c.memory().used()};
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetCudaComputeCapability(DeviceHandle device, int* major, int* minor) {
  return of_device(device, [&](host::Context& c) -> int {
    if (major == nullptr || minor == nullptr) return kInvalidArgument;
    constexpr int kMajor = 75, kMinor = 76;  // of cudaDeviceAttr
    *major = attribute(c, kMajor);
    *minor = attribute(c, kMinor);
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetNumGpuCores(DeviceHandle, unsigned*) { return kNotSupported; }
GPULOOM_CUDA int nvmlDeviceGetPciInfo_v3(DeviceHandle device, PciInfo* pci) {
  return of_device(device, [&](host::Context&) -> int {
    if (pci == nullptr) return kInvalidArgument;
    *pci = {};
    pci->bus = 1;
    std::strcpy(pci->id, kPciId);
    std::strcpy(pci->legacy_id, kPciId + 4);  // four digits of the domain
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetPciInfo(DeviceHandle device, PciInfo* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}
// Nothing runs while a program asks.
GPULOOM_CUDA int nvmlDeviceGetUtilizationRates(DeviceHandle device, Utilization* rates) {
  return of_device(device, [&](host::Context&) -> int {
    if (rates == nullptr) return kInvalidArgument;
    *rates = {0, 0};
    return kSuccess;
  });
}
GPULOOM_CUDA int nvmlDeviceGetTemperature(DeviceHandle, int, unsigned*) { return kNotSupported; }
GPULOOM_CUDA int nvmlDeviceGetPowerUsage(DeviceHandle, unsigned*) { return kNotSupported; }
GPULOOM_CUDA int nvmlDeviceGetTotalEnergyConsumption(DeviceHandle, unsigned long long*) {
  return kNotSupported;
}
GPULOOM_CUDA int nvmlDeviceGetClockInfo(DeviceHandle, int, unsigned*) { return kNotSupported; }

}  // namespace gpuloom::nvml
