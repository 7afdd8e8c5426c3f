// SPDX-License-Identifier: Apache-2.0
// Memory of the device and of the host.
#include "sim/cudart/process.h"

namespace gpuloom::cudart {
namespace {

// cudaMemoryType.
enum : int { kUnregistered = 0, kHostType = 1, kDevice = 2, kManaged = 3 };

// cudaMemLocation: a device, or the host.
int place_of(const Location& location) {
  constexpr int kDevice = 1;
  return location.type == kDevice ? location.id : -1;
}

int memory_type(sim::MemoryKind kind) {
  switch (kind) {
    case sim::MemoryKind::kDevice:
    case sim::MemoryKind::kMapped:
      return kDevice;
    case sim::MemoryKind::kManaged:
      return kManaged;
    default:
      return kHostType;
  }
}

}  // namespace

GPULOOM_CUDA int cudaMalloc(void** pointer, size_t bytes) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr);
    not_in_capture(c);
    *pointer = pointer_of(c.memory().allocate(bytes));
  });
}

GPULOOM_CUDA int cudaFree(void* pointer) {
  return call([&](host::Runtime& r, host::Context& current) {
    if (pointer == nullptr) return not_in_capture(current);
    host::Context& c = r.owner_of(address_of(pointer), current);
    not_in_capture(c);
    c.synchronise();
    c.free(address_of(pointer));
  });
}

GPULOOM_CUDA int cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr && (flags == 1 || flags == 2));  // global, host
    not_in_capture(c);
    *pointer = pointer_of(c.memory().allocate_managed(bytes));
  });
}

GPULOOM_CUDA int cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr && pitch != nullptr);
    not_in_capture(c);
    const host::Pitched p = c.memory().allocate_pitched(width, height, 1);
    *pointer = pointer_of(p.address);
    *pitch = p.pitch;
  });
}

GPULOOM_CUDA int cudaMalloc3D(PitchedPointer* pointer, ExtentAbi extent) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr);
    not_in_capture(c);
    const host::Pitched p = c.memory().allocate_pitched(extent.width, extent.height, extent.depth);
    *pointer = {pointer_of(p.address), p.pitch, extent.width, extent.height};
  });
}

GPULOOM_CUDA int cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr && flags <= 7);  // portable, mapped, write-combined
    not_in_capture(c);
    *pointer = pointer_of(c.memory().allocate_pinned(bytes, flags));
  });
}

GPULOOM_CUDA int cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

GPULOOM_CUDA int cudaFreeHost(void* pointer) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    not_in_capture(c);
    r.for_each_context([](host::Context& each) { each.synchronise(); });
    c.memory().free_pinned(address_of(pointer));
  });
}

GPULOOM_CUDA int cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(flags <= 15);  // portable, mapped, I/O memory, read-only
    not_in_capture(c);
    c.memory().register_host(address_of(pointer), bytes, flags);
  });
}

GPULOOM_CUDA int cudaHostUnregister(void* pointer) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    not_in_capture(c);
    r.for_each_context([](host::Context& each) { each.memory().settle(); });
    c.memory().unregister_host(address_of(pointer));
  });
}

// One address space: the device's pointer is the host's.
GPULOOM_CUDA int cudaHostGetDevicePointer(void** device, void* pointer, unsigned flags) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    host::require(device != nullptr && flags == 0);
    c.memory().host_flags(address_of(pointer));
    *device = pointer;
  });
}

GPULOOM_CUDA int cudaHostGetFlags(unsigned* flags, void* pointer) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    host::require(flags != nullptr);
    constexpr unsigned kMapped = 2;
    *flags = c.memory().host_flags(address_of(pointer)) | kMapped;
  });
}

GPULOOM_CUDA int cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(free != nullptr && total != nullptr);
    *total = c.memory().capacity();
    *free = c.memory().capacity() - c.memory().used();
  });
}

GPULOOM_CUDA int cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(attributes != nullptr);
    *attributes = {};
    const auto facts = c.memory().facts(address_of(pointer));
    attributes->device = facts ? static_cast<int>(facts->device) : -2;  // cudaInvalidDeviceId
    attributes->type = facts ? memory_type(facts->kind) : kUnregistered;
    if (!facts) attributes->host_pointer = const_cast<void*>(pointer);
    if (!facts) return;
    attributes->device_pointer = const_cast<void*>(pointer);
    if (attributes->type != kDevice) attributes->host_pointer = const_cast<void*>(pointer);
  });
}

// Managed memory lies where both sides reach it: where pages are makes no difference to what programs
// compute.
GPULOOM_CUDA int cudaMemAdvise(const void* pointer, size_t bytes, int advice, Location location) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    host::require(advice >= 1 && advice <= 6);  // set and unset: read mostly, preferred place, accessed by
    not_in_capture(c);
    const bool sets = advice % 2 == 1;
    c.memory().advise(address_of(pointer), bytes, static_cast<host::Advised>((advice - 1) / 2),
                      sets ? place_of(location) : host::kNowhere);
  });
}

// cudaMemRangeAttribute: read mostly, preferred place, accessed by, last prefetched to.
GPULOOM_CUDA int cudaMemRangeGetAttribute(void* data, size_t size, int attribute, const void* pointer,
                                          size_t bytes) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    host::require(data != nullptr && size >= sizeof(int) && size % sizeof(int) == 0);
    if (attribute < 1 || attribute > 4) throw Failure(Status::kNotSupported);
    const auto what = static_cast<host::Advised>(attribute - 1);
    const int place = c.memory().advised(address_of(pointer), bytes, what);
    int* out = static_cast<int*>(data);
    for (size_t k = 1; k < size / sizeof(int); ++k) out[k] = host::kNowhere;
    *out = what == host::Advised::kReadMostly ? place != host::kNowhere : place;
  });
}

GPULOOM_BOTH(cudaMemPrefetchAsync, _ptsz,
             (const void* pointer, size_t bytes, Location location, unsigned flags, StreamHandle stream),
             pointer, bytes, location, flags, stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::Context& c = r.owner_of(address_of(pointer), current);
    host::require(flags == 0 && location.type >= 1 && location.type <= 4);
    any_stream(r, current, stream, defaults);
    const auto facts = c.memory().facts(address_of(pointer));
    host::require(facts && facts->kind == sim::MemoryKind::kManaged &&
                  c.memory().on_device(address_of(pointer), bytes));
    c.memory().advise(address_of(pointer), bytes, host::Advised::kPrefetched, place_of(location));
  });
}

GPULOOM_BOTH(cudaStreamAttachMemAsync, _ptsz,
             (StreamHandle stream, void* pointer, size_t bytes, unsigned flags), stream, pointer, bytes,
             flags) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(flags == 1 || flags == 2 || flags == 4);  // global, host, single
    any_stream(r, c, stream, defaults);
    const auto facts = c.memory().facts(address_of(pointer));
    host::require(facts && facts->kind == sim::MemoryKind::kManaged && facts->begin == address_of(pointer) &&
                  (bytes == 0 || bytes <= facts->size));
  });
}

}  // namespace gpuloom::cudart
