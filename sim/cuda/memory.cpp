// SPDX-License-Identifier: Apache-2.0
// Memory of the device and of the host, pools, and what a pointer is.
#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

using cudart::AccessDesc;
using cudart::Location;
using cudart::PoolHandle;
using cudart::PoolProperties;

// CU_POINTER_ATTRIBUTE_* and CU_MEMORYTYPE_*.
enum PointerAttribute : int {
  kContext = 1,
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kSyncMemops = 6,
  kBufferId = 7,
  kIsManaged = 8,
  kDeviceOrdinal = 9,
  kRangeStart = 11,
  kRangeSize = 12,
  kMapped = 13,
};
enum : unsigned { kTypeHost = 1, kTypeDevice = 2 };

void write_attribute(void* data, int attribute, DevicePointer pointer, const host::PointerFacts& facts,
                     ContextHandle context) {
  const bool mapped = facts.kind == sim::MemoryKind::kMapped;
  const bool device =
      mapped || facts.kind == sim::MemoryKind::kDevice || facts.kind == sim::MemoryKind::kManaged;
  switch (attribute) {
    case kContext:
      *static_cast<ContextHandle*>(data) = context;
      break;
    case kMemoryType:
      *static_cast<unsigned*>(data) = device ? kTypeDevice : kTypeHost;
      break;
    case kDevicePointer:
      *static_cast<DevicePointer*>(data) = pointer;
      break;
    case kHostPointer:
      host::require(facts.kind != sim::MemoryKind::kDevice && !mapped);
      *static_cast<void**>(data) = pointer_of(pointer);
      break;
    case kSyncMemops:
      *static_cast<unsigned*>(data) = 0;
      break;
    case kBufferId:  // unique as long as the block lives
      *static_cast<unsigned long long*>(data) = facts.begin;
      break;
    case kIsManaged:
      *static_cast<unsigned*>(data) = facts.kind == sim::MemoryKind::kManaged ? 1 : 0;
      break;
    case kDeviceOrdinal:
      *static_cast<int*>(data) = 0;
      break;
    case kRangeStart:
      *static_cast<DevicePointer*>(data) = facts.begin;
      break;
    case kRangeSize:
      *static_cast<size_t*>(data) = facts.size;
      break;
    case kMapped:
      *static_cast<unsigned*>(data) = 1;
      break;
    default:
      throw Failure(static_cast<Status>(refuse("cuPointerGetAttribute", "this attribute")));
  }
}

}  // namespace

extern "C" int cudaMalloc(void**, size_t);
extern "C" int cudaMallocPitch(void**, size_t*, size_t, size_t);

GPULOOM_CUDA int cuMemAlloc_v2(DevicePointer* pointer, size_t bytes) {
  return in_context([&]() -> int {
    if (pointer == nullptr || bytes == 0) return kInvalidValue;
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
  });
}

GPULOOM_CUDA int cuMemAllocPitch_v2(DevicePointer* pointer, size_t* pitch, size_t width, size_t height,
                                    unsigned element) {
  return in_context([&]() -> int {
    if (pointer == nullptr || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16))
      return kInvalidValue;
    return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
  });
}

GPULOOM_CUDA int cuMemGetAddressRange_v2(DevicePointer* begin, size_t* bytes, DevicePointer pointer) {
  return call([&](host::Runtime&, host::Context& c) {
    const auto facts = c.memory().facts(pointer);
    host::require(facts.has_value(), static_cast<Status>(kNotFound));
    if (begin != nullptr) *begin = facts->begin;
    if (bytes != nullptr) *bytes = facts->size;
  });
}

GPULOOM_SAME(cuMemFree_v2, cudaFree, (void* pointer), pointer)
GPULOOM_SAME(cuMemAllocManaged, cudaMallocManaged, (void** pointer, size_t bytes, unsigned flags), pointer,
             bytes, flags)
GPULOOM_SAME(cuMemAllocHost_v2, cudaMallocHost, (void** pointer, size_t bytes), pointer, bytes)
GPULOOM_SAME(cuMemHostAlloc, cudaHostAlloc, (void** pointer, size_t bytes, unsigned flags), pointer, bytes,
             flags)
GPULOOM_SAME(cuMemFreeHost, cudaFreeHost, (void* pointer), pointer)
GPULOOM_SAME(cuMemHostRegister_v2, cudaHostRegister, (void* pointer, size_t bytes, unsigned flags), pointer,
             bytes, flags)
GPULOOM_SAME(cuMemHostUnregister, cudaHostUnregister, (void* pointer), pointer)
GPULOOM_SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer,
             (void** device, void* pointer, unsigned flags), device, pointer, flags)
GPULOOM_SAME(cuMemHostGetFlags, cudaHostGetFlags, (unsigned* flags, void* pointer), flags, pointer)
GPULOOM_SAME(cuMemGetInfo_v2, cudaMemGetInfo, (size_t * free, size_t* total), free, total)
GPULOOM_SAME(cuMemAdvise_v2, cudaMemAdvise,
             (const void* pointer, size_t bytes, int advice, Location location), pointer, bytes, advice,
             location)
GPULOOM_SAME_BOTH(cuMemPrefetchAsync_v2, _ptsz, cudaMemPrefetchAsync, _ptsz,
                  (const void* pointer, size_t bytes, Location location, unsigned flags, StreamHandle stream),
                  pointer, bytes, location, flags, stream)
GPULOOM_SAME_BOTH(cuMemAllocAsync, _ptsz, cudaMallocAsync, _ptsz,
                  (void** pointer, size_t bytes, StreamHandle stream), pointer, bytes, stream)
GPULOOM_SAME_BOTH(cuMemAllocFromPoolAsync, _ptsz, cudaMallocFromPoolAsync, _ptsz,
                  (void** pointer, size_t bytes, PoolHandle pool, StreamHandle stream), pointer, bytes, pool,
                  stream)
GPULOOM_SAME_BOTH(cuMemFreeAsync, _ptsz, cudaFreeAsync, _ptsz, (void* pointer, StreamHandle stream), pointer,
                  stream)
GPULOOM_SAME(cuMemPoolCreate, cudaMemPoolCreate, (PoolHandle * pool, const PoolProperties* properties), pool,
             properties)
GPULOOM_SAME(cuMemPoolDestroy, cudaMemPoolDestroy, (PoolHandle pool), pool)
GPULOOM_SAME(cuMemPoolTrimTo, cudaMemPoolTrimTo, (PoolHandle pool, size_t bytes), pool, bytes)
GPULOOM_SAME(cuMemPoolGetAttribute, cudaMemPoolGetAttribute, (PoolHandle pool, int attribute, void* value),
             pool, attribute, value)
GPULOOM_SAME(cuMemPoolSetAttribute, cudaMemPoolSetAttribute, (PoolHandle pool, int attribute, void* value),
             pool, attribute, value)
GPULOOM_SAME(cuMemPoolSetAccess, cudaMemPoolSetAccess,
             (PoolHandle pool, const AccessDesc* list, size_t count), pool, list, count)
GPULOOM_SAME(cuMemPoolGetAccess, cudaMemPoolGetAccess, (int* flags, PoolHandle pool, Location* location),
             flags, pool, location)

// Before 12.2: a device number, -1 for the host.
GPULOOM_BOTH(cuMemPrefetchAsync, _ptsz, (const void* pointer, size_t bytes, int device, StreamHandle stream),
             pointer, bytes, device, stream) {
  constexpr int kDeviceLocation = 1, kHostLocation = 2, kHostDevice = -1;
  const Location there = {device == kHostDevice ? kHostLocation : kDeviceLocation,
                          device == kHostDevice ? 0 : device};
  return defaults == Defaults::kLegacy ? cuMemPrefetchAsync_v2(pointer, bytes, there, 0, stream)
                                       : cuMemPrefetchAsync_v2_ptsz(pointer, bytes, there, 0, stream);
}

GPULOOM_CUDA int cuMemAdvise(const void* pointer, size_t bytes, int advice, int) {
  return cuMemAdvise_v2(pointer, bytes, advice, Location{1, 0});
}

GPULOOM_CUDA int cuPointerGetAttribute(void* data, int attribute, DevicePointer pointer) {
  const ContextHandle context = current_context();
  return call([&](host::Runtime&, host::Context& c) {
    const auto facts = c.memory().facts(pointer);
    host::require(data != nullptr && facts.has_value());
    write_attribute(data, attribute, pointer, *facts, context);
  });
}

// Unlike for one attribute, unknown memory is not an error: everything is 0 then.
GPULOOM_CUDA int cuPointerGetAttributes(unsigned count, const int* attributes, void** data,
                                        DevicePointer pointer) {
  const ContextHandle context = current_context();
  return call([&](host::Runtime&, host::Context& c) {
    host::require(attributes != nullptr && data != nullptr);
    const auto facts = c.memory().facts(pointer);
    for (unsigned k = 0; k < count; ++k) {
      if (facts)
        write_attribute(data[k], attributes[k], pointer, *facts, context);
      else
        *static_cast<unsigned*>(data[k]) = 0;
    }
  });
}

GPULOOM_CUDA int cuPointerSetAttribute(const void*, int attribute, DevicePointer pointer) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(attribute == kSyncMemops && c.memory().facts(pointer).has_value());  // copies wait as it is
  });
}

}  // namespace gpuloom::driver
