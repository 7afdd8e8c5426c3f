// SPDX-License-Identifier: Apache-2.0
// Memory and events between processes.
#include "sim/cudart/process.h"

namespace gpuloom::cudart {

using host::InterprocessHandle;

GPULOOM_CUDA int cudaIpcGetMemHandle(InterprocessHandle* handle, void* pointer) {
  return call([&](host::Runtime& r, host::Context& current) {
    host::require(handle != nullptr);
    host::Context& c = r.owner_of(address_of(pointer), current);
    *handle = c.interprocess().share(address_of(pointer));
  });
}

GPULOOM_CUDA int cudaIpcOpenMemHandle(void** pointer, InterprocessHandle handle, unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr && flags <= 1);  // lazy access of peers
    *pointer = pointer_of(c.interprocess().open(handle));
  });
}

GPULOOM_CUDA int cudaIpcCloseMemHandle(void* pointer) {
  return call([&](host::Runtime&, host::Context& c) { c.interprocess().close(address_of(pointer)); });
}

// Pools go as file descriptors, pointers into them as handles.
GPULOOM_CUDA int cudaMemPoolExportToShareableHandle(void* shareable, PoolHandle pool, int type,
                                                    unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    const host::Pool& p = c.pools().checked(reinterpret_cast<host::Pool*>(pool));
    host::require(shareable != nullptr && type == 1 && flags == 0 && p.shareable && !p.imported);
    *static_cast<int*>(shareable) = host::Interprocess::export_pool();
  });
}

GPULOOM_CUDA int cudaMemPoolImportFromShareableHandle(PoolHandle* pool, void* shareable, int type,
                                                      unsigned flags) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pool != nullptr && type == 1 && flags == 0);
    host::Interprocess::check_pool(static_cast<int>(address_of(shareable)));  // the descriptor itself
    *pool = reinterpret_cast<PoolHandle>(&c.pools().import());
  });
}

GPULOOM_CUDA int cudaMemPoolExportPointer(InterprocessHandle* handle, void* pointer) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr && c.pools().shareable(address_of(pointer)));
    *handle = c.interprocess().share(address_of(pointer));
  });
}

GPULOOM_CUDA int cudaMemPoolImportPointer(void** pointer, PoolHandle pool, const InterprocessHandle* handle) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(pointer != nullptr && handle != nullptr &&
                  c.pools().checked(reinterpret_cast<host::Pool*>(pool)).imported);
    *pointer = pointer_of(c.interprocess().open(*handle, true));
  });
}

GPULOOM_CUDA int cudaIpcGetEventHandle(InterprocessHandle* handle, EventHandle event) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr);
    *handle = c.interprocess().share(event_of(c, event));
  });
}

GPULOOM_CUDA int cudaIpcOpenEventHandle(EventHandle* event, InterprocessHandle handle) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(event != nullptr);
    host::Interprocess::check_event(handle);
    host::Event& made = c.timeline().create_event(false);
    c.interprocess().add(made);
    *event = handle_of(made);
  });
}

}  // namespace gpuloom::cudart
