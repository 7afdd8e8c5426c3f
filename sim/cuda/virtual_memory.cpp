// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: cuMemAddressReserve, cuMemCreate, cuMemMap and their like.
#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

using cudart::AccessDesc;
using cudart::Location;

// CUmemAllocationType, CUmemLocationType, CUmemAllocationHandleType, CUmemAccess_flags.
enum : int { kPinnedType = 1 };
enum : int { kDeviceLocation = 1 };
enum : int { kNoHandle = 0, kFileDescriptor = 1 };
enum : int { kNoAccess = 0, kReadOnly = 1, kReadWrite = 3 };

void require_place(const Location& location) {
  if (location.type != kDeviceLocation)
    throw Failure(static_cast<Status>(refuse("cuMemCreate", "memory of the host")));
  if (cudart::checked_device(cudart::runtime(), location.id) !=
      static_cast<unsigned>(cudart::thread_state().device))
    throw Error(ErrorKind::kUnsupported, "memory of cuMemCreate with access from another GPU", {},
                "make it with that GPU current, or use cudaMalloc and cudaDeviceEnablePeerAccess");
}

void check(const AllocationProperties* properties) {
  host::require(properties != nullptr && properties->type == kPinnedType);
  require_place(properties->location);
  if (properties->handles != kNoHandle && properties->handles != kFileDescriptor)
    throw Failure(static_cast<Status>(refuse("cuMemCreate", "handles that are not file descriptors")));
}

// These calls need cuInit, and no current context.
template <class F>
int without_context(F&& body) {
  return after_init([&] { return cudart::call(body); });
}

}  // namespace

GPULOOM_CUDA int cuMemGetAllocationGranularity(size_t* bytes, const AllocationProperties* properties,
                                               int option) {
  return after_init([&] {
    return cudart::call_anyway([&](host::Runtime&) {
      host::require(bytes != nullptr && (option == 0 || option == 1));  // least, recommended
      check(properties);
      *bytes = host::Mappings::kGranularity;
    });
  });
}

GPULOOM_CUDA int cuMemCreate(MemoryHandle* handle, size_t bytes, const AllocationProperties* properties,
                             unsigned long long flags) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && flags == 0);
    check(properties);
    *handle = c.mappings().create(bytes, properties->handles == kFileDescriptor);
  });
}

GPULOOM_CUDA int cuMemRelease(MemoryHandle handle) {
  return without_context([&](host::Runtime&, host::Context& c) { c.mappings().release(handle); });
}

GPULOOM_CUDA int cuMemRetainAllocationHandle(MemoryHandle* handle, void* address) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr);
    *handle = c.mappings().retain(address_of(address));
  });
}

GPULOOM_CUDA int cuMemGetAllocationPropertiesFromHandle(AllocationProperties* properties,
                                                        MemoryHandle handle) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(properties != nullptr);
    *properties = {};
    properties->type = kPinnedType;
    properties->handles = c.mappings().physical(handle).shareable() ? kFileDescriptor : kNoHandle;
    properties->location = {kDeviceLocation, cudart::thread_state().device};
  });
}

GPULOOM_CUDA int cuMemExportToShareableHandle(void* shareable, MemoryHandle handle, int type,
                                              unsigned long long flags) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(shareable != nullptr && type == kFileDescriptor && flags == 0);
    *static_cast<int*>(shareable) = c.mappings().exported(handle);
  });
}

GPULOOM_CUDA int cuMemImportFromShareableHandle(MemoryHandle* handle, void* shareable, int type) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && type == kFileDescriptor);
    *handle = c.mappings().import(static_cast<int>(address_of(shareable)));  // the descriptor itself
  });
}

GPULOOM_CUDA int cuMemAddressReserve(DevicePointer* address, size_t bytes, size_t align, DevicePointer wanted,
                                     unsigned long long flags) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(address != nullptr && flags == 0);
    *address = c.mappings().reserve(bytes, align, wanted);
  });
}

GPULOOM_CUDA int cuMemAddressFree(DevicePointer address, size_t bytes) {
  return without_context([&](host::Runtime&, host::Context& c) { c.mappings().free(address, bytes); });
}

GPULOOM_CUDA int cuMemMap(DevicePointer address, size_t bytes, size_t offset, MemoryHandle handle,
                          unsigned long long flags) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(flags == 0);
    c.mappings().map(address, bytes, offset, handle);
  });
}

GPULOOM_CUDA int cuMemUnmap(DevicePointer address, size_t bytes) {
  return without_context([&](host::Runtime&, host::Context& c) { c.mappings().unmap(address, bytes); });
}

GPULOOM_CUDA int cuMemSetAccess(DevicePointer address, size_t bytes, const AccessDesc* list, size_t count) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(list != nullptr && count != 0);
    for (size_t i = 0; i < count; ++i) {
      require_place(list[i].location);
      host::require(list[i].flags == kNoAccess || list[i].flags == kReadOnly || list[i].flags == kReadWrite);
      if (list[i].flags == kReadOnly)  // kernels that write would not fault
        throw Failure(static_cast<Status>(refuse("cuMemSetAccess", "access for reading alone")));
      c.mappings().set_access(address, bytes, list[i].flags == kReadWrite);
    }
  });
}

GPULOOM_CUDA int cuMemGetAccess(unsigned long long* flags, const Location* location, DevicePointer address) {
  return without_context([&](host::Runtime&, host::Context& c) {
    host::require(flags != nullptr && location != nullptr);
    require_place(*location);
    *flags = c.mappings().accessible(address) ? kReadWrite : kNoAccess;
  });
}

}  // namespace gpuloom::driver
