// SPDX-License-Identifier: Apache-2.0
// Memory and events between processes.
#include "sim/cudart/process.h"

namespace gpuloom::cudart {

using host::InterprocessHandle;

GPULOOM_CUDA int cudaIpcGetMemHandle(InterprocessHandle* handle, void* pointer) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr);
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

GPULOOM_CUDA int cudaIpcGetEventHandle(InterprocessHandle* handle, EventHandle event) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(handle != nullptr);
    *handle = c.interprocess().share(event_of(c, event));
  });
}

GPULOOM_CUDA int cudaIpcOpenEventHandle(EventHandle* event, InterprocessHandle handle) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(event != nullptr);
    c.interprocess().check_event(handle);
    *event = handle_of(c.timeline().create_event(false));
  });
}

}  // namespace gpuloom::cudart
