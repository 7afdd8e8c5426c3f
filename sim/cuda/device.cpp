// SPDX-License-Identifier: Apache-2.0
// Devices and what they are; versions.
#include <algorithm>
#include <cstring>
#include <string>

#include "sim/cuda/driver.h"
#include "sim/host/properties.h"
#include "sim/host/visible_devices.h"

namespace gpuloom::driver {
namespace {

constexpr int kDriverVersion = 13000;  // as cudaDriverGetVersion answers
constexpr int kMajorAttribute = 75, kMinorAttribute = 76;

int of_device(int device, const std::function<void(host::Runtime&, host::Context&)>& body) {
  return after_init([&] {
    return cudart::call(
        [&](host::Runtime& r, host::Context&) { body(r, r.context(cudart::checked_device(r, device))); });
  });
}

int uuid_of(char* uuid, int device) {
  return of_device(device, [&](host::Runtime&, host::Context& c) {
    host::require(uuid != nullptr);
    const std::string identity = host::device_identity(c.device().config(), c.place());
    std::memcpy(uuid, identity.data(), identity.size());
  });
}

}  // namespace

GPULOOM_CUDA int cuDriverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = kDriverVersion;
  return kSuccess;
}

GPULOOM_CUDA int cuDeviceGetCount(int* count) {
  return after_init([&] {
    return cudart::call_anyway([&](host::Runtime& r) {
      host::require(count != nullptr);
      *count = r.device_count();
    });
  });
}

GPULOOM_CUDA int cuDeviceGet(int* device, int ordinal) {
  return after_init([&] {
    return cudart::call_anyway([&](host::Runtime& r) {
      host::require(device != nullptr);
      host::require(ordinal >= 0 && ordinal < r.device_count(), Status::kInvalidDevice);
      *device = ordinal;
    });
  });
}

GPULOOM_CUDA int cuDeviceGetName(char* name, int bytes, int device) {
  return of_device(device, [&](host::Runtime&, host::Context& c) {
    host::require(name != nullptr && bytes > 0);
    const std::string text = host::device_name(c.device().gpu());
    const size_t length = std::min(text.size(), static_cast<size_t>(bytes) - 1);
    std::memcpy(name, text.data(), length);
    name[length] = '\0';
  });
}

GPULOOM_CUDA int cuDeviceGetUuid_v2(char* uuid, int device) { return uuid_of(uuid, device); }
GPULOOM_CUDA int cuDeviceGetUuid(char* uuid, int device) { return uuid_of(uuid, device); }

GPULOOM_CUDA int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return of_device(device, [&](host::Runtime&, host::Context& c) {
    host::require(bytes != nullptr);
    *bytes = c.memory().capacity();
  });
}

GPULOOM_CUDA int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return of_device(device, [&](host::Runtime&, host::Context& c) {
    const auto known = c.attributes().value(attribute);
    host::require(value != nullptr && known.has_value());
    *value = *known;
  });
}

GPULOOM_CUDA int cuDeviceComputeCapability(int* major, int* minor, int device) {
  if (const int result = cuDeviceGetAttribute(major, kMajorAttribute, device); result != kSuccess)
    return result;
  return cuDeviceGetAttribute(minor, kMinorAttribute, device);
}

#define GPULOOM_OF_DEVICE(CU, CUDA, PARAMS, ...)          \
  extern "C" int CUDA(GPULOOM_UNWRAP PARAMS);             \
  GPULOOM_CUDA int CU(GPULOOM_UNWRAP PARAMS) {            \
    return after_init([&] { return CUDA(__VA_ARGS__); }); \
  }
GPULOOM_OF_DEVICE(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId, (char* text, int length, int device), text,
                  length, device)
GPULOOM_OF_DEVICE(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId, (int* device, const char* text), device,
                  text)
GPULOOM_OF_DEVICE(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer, (int* can, int device, int peer), can,
                  device, peer)
GPULOOM_OF_DEVICE(cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute,
                  (int* value, int attribute, int from, int to), value, attribute, from, to)
GPULOOM_OF_DEVICE(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool,
                  (cudart::PoolHandle * pool, int device), pool, device)
GPULOOM_OF_DEVICE(cuDeviceGetMemPool, cudaDeviceGetMemPool, (cudart::PoolHandle * pool, int device), pool,
                  device)
GPULOOM_OF_DEVICE(cuDeviceSetMemPool, cudaDeviceSetMemPool, (int device, cudart::PoolHandle pool), device,
                  pool)
GPULOOM_OF_DEVICE(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
                  (int device, int attribute, void* value), device, attribute, value)
GPULOOM_OF_DEVICE(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
                  (int device, int attribute, void* value), device, attribute, value)
GPULOOM_OF_DEVICE(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (int device), device)

GPULOOM_CUDA int cuProfilerStart() { return kSuccess; }
GPULOOM_CUDA int cuProfilerStop() { return kSuccess; }

}  // namespace gpuloom::driver
