// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory and pools.
#include <algorithm>

#include "sim/cudart/process.h"

namespace gpuloom::cudart {
namespace {

// A pool of any device, with its context.
struct AnyPool {
  host::Context& context;
  host::Pool& pool;
};
AnyPool pool_of(host::Runtime& r, host::Context& current, PoolHandle handle) {
  auto* pool = reinterpret_cast<host::Pool*>(handle);
  host::Context* of = &current;
  r.for_each_context([&](host::Context& c) {
    if (c.pools().knows(pool)) of = &c;
  });
  return {*of, of->pools().checked(pool)};
}
PoolHandle pool_handle(host::Pool& pool) { return reinterpret_cast<PoolHandle>(&pool); }

// In a capture memory is a node's: it has its address at once, and each launch of the graph may use it.
void allocate(host::Context& c, host::Stream& stream, host::Pool& pool, void** pointer, size_t bytes) {
  host::require(pointer != nullptr);
  if (stream.capture == nullptr) {
    not_in_capture(c);
    *pointer = pointer_of(c.allocate(stream, pool, bytes));
    return;
  }
  const uint64_t address = c.pools().reserve_for_graph(bytes);
  c.submit(stream, host::Allocate{address, bytes});
  *pointer = pointer_of(address);
}

bool wide(int attribute) { return attribute >= 4; }

}  // namespace

GPULOOM_BOTH(cudaMallocAsync, _ptsz, (void** pointer, size_t bytes, StreamHandle stream), pointer, bytes,
             stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    allocate(c, s, c.pools().current(), pointer, bytes);
  });
}

GPULOOM_BOTH(cudaMallocFromPoolAsync, _ptsz,
             (void** pointer, size_t bytes, PoolHandle pool, StreamHandle stream), pointer, bytes, pool,
             stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, p] = pool_of(r, current, pool);
    allocate(c, stream_of(c, stream, defaults), p, pointer, bytes);
  });
}

GPULOOM_BOTH(cudaFreeAsync, _ptsz, (void* pointer, StreamHandle stream), pointer, stream) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, s] = any_stream(r, current, stream, defaults);
    host::require(pointer != nullptr);
    if (s.capture != nullptr) {
      s.capture->add(s, host::Release{address_of(pointer)});
      return;
    }
    not_in_capture(c);
    c.release(s, address_of(pointer), r.owner_of(address_of(pointer), c));
  });
}

GPULOOM_CUDA int cudaDeviceGetDefaultMemPool(PoolHandle* pool, int device) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    *pool = pool_handle(c.pools().standard());
  });
}

GPULOOM_CUDA int cudaDeviceGetMemPool(PoolHandle* pool, int device) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    *pool = pool_handle(c.pools().current());
  });
}

GPULOOM_CUDA int cudaDeviceSetMemPool(int device, PoolHandle pool) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    c.pools().set_current(c.pools().checked(reinterpret_cast<host::Pool*>(pool)));
  });
}

GPULOOM_CUDA int cudaMemPoolCreate(PoolHandle* pool, const PoolProperties* properties) {
  return call([&](host::Runtime& r, host::Context&) {
    constexpr int kPinned = 1, kDevice = 1, kFileDescriptor = 1;
    host::require(pool != nullptr && properties != nullptr && properties->allocation == kPinned);
    const bool shareable = properties->handles == kFileDescriptor;
    if ((properties->handles != 0 && !shareable) || properties->location.type != kDevice)
      throw Failure(Status::kNotSupported);
    host::Context& c = r.context(checked_device(r, properties->location.id));
    not_in_capture(c);
    *pool = pool_handle(c.pools().create(properties->most, shareable));
  });
}

GPULOOM_CUDA int cudaMemPoolDestroy(PoolHandle pool) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, p] = pool_of(r, current, pool);
    c.pools().destroy(p);
  });
}

GPULOOM_CUDA int cudaMemPoolTrimTo(PoolHandle pool, size_t keep) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, p] = pool_of(r, current, pool);
    not_in_capture(c);
    c.pools().trim(p, keep);
  });
}

GPULOOM_CUDA int cudaMemPoolGetAttribute(PoolHandle pool, int attribute, void* value) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, p] = pool_of(r, current, pool);
    const uint64_t v = c.pools().attribute(p, attribute);
    if (wide(attribute))
      *static_cast<uint64_t*>(value) = v;
    else
      *static_cast<int*>(value) = static_cast<int>(v);
  });
}

GPULOOM_CUDA int cudaMemPoolSetAttribute(PoolHandle pool, int attribute, void* value) {
  return call([&](host::Runtime& r, host::Context& current) {
    auto [c, p] = pool_of(r, current, pool);
    const uint64_t v =
        wide(attribute) ? *static_cast<uint64_t*>(value) : static_cast<uint64_t>(*static_cast<int*>(value));
    not_in_capture(c);
    c.pools().set_attribute(p, attribute, v);
  });
}

// The pool's device has access to its own memory, and that cannot be taken away. Others have it as for memory
// of cudaMalloc: cudaDeviceEnablePeerAccess.
GPULOOM_CUDA int cudaMemPoolSetAccess(PoolHandle pool, const AccessDesc* list, size_t count) {
  return call([&](host::Runtime& r, host::Context& current) {
    const unsigned own = pool_of(r, current, pool).context.number();
    constexpr int kReadWrite = 3;
    for (size_t k = 0; k < count; ++k) {
      if (checked_device(r, list[k].location.id) != own)
        throw Failure(static_cast<Status>(
            refuse("cudaMemPoolSetAccess", "of another GPU, which cudaDeviceEnablePeerAccess gives access")));
      host::require(list[k].flags == kReadWrite);
    }
  });
}

GPULOOM_CUDA int cudaMemPoolGetAccess(int* flags, PoolHandle pool, Location* location) {
  return call([&](host::Runtime& r, host::Context& current) {
    const unsigned own = pool_of(r, current, pool).context.number();
    *flags = checked_device(r, location->id) == own ? 3 : 0;
  });
}

// cudaGraphMemAttributeType: used now, used at most, reserved now, reserved at most.
GPULOOM_CUDA int cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    host::require(value != nullptr && attribute >= 0 && attribute <= 3);
    const host::Pools& pools = c.pools();
    const uint64_t values[] = {pools.graphs().used, pools.graphs().used_high, pools.reserved_for_graphs(),
                               pools.reserved_for_graphs()};
    *static_cast<uint64_t*>(value) = values[attribute];
  });
}

GPULOOM_CUDA int cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return call([&](host::Runtime& r, host::Context&) {
    host::Context& c = r.context(checked_device(r, device));
    host::require((attribute == 1 || attribute == 3) && *static_cast<uint64_t*>(value) == 0);
    c.pools().forget_high_mark();
  });
}

// Memory of graphs stays theirs.
GPULOOM_CUDA int cudaDeviceGraphMemTrim(int device) {
  return call([&](host::Runtime& r, host::Context&) { checked_device(r, device); });
}

}  // namespace gpuloom::cudart
