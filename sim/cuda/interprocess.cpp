// SPDX-License-Identifier: Apache-2.0
// Memory and events between processes.
#include "sim/cuda/driver.h"

namespace gpuloom::driver {

using host::InterprocessHandle;

GPULOOM_SAME(cuIpcGetMemHandle, cudaIpcGetMemHandle, (InterprocessHandle * handle, void* pointer), handle,
             pointer)
GPULOOM_SAME(cuIpcOpenMemHandle_v2, cudaIpcOpenMemHandle,
             (void** pointer, InterprocessHandle handle, unsigned flags), pointer, handle, flags)
GPULOOM_SAME(cuIpcCloseMemHandle, cudaIpcCloseMemHandle, (void* pointer), pointer)
GPULOOM_SAME(cuIpcGetEventHandle, cudaIpcGetEventHandle, (InterprocessHandle * handle, EventHandle event),
             handle, event)
GPULOOM_SAME(cuIpcOpenEventHandle, cudaIpcOpenEventHandle, (EventHandle * event, InterprocessHandle handle),
             event, handle)

GPULOOM_CUDA int cuIpcOpenMemHandle(void** pointer, InterprocessHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(pointer, handle, flags);
}

}  // namespace gpuloom::driver
