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

GPULOOM_SAME(cuMemPoolExportToShareableHandle, cudaMemPoolExportToShareableHandle,
             (void* shareable, cudart::PoolHandle pool, int type, unsigned flags), shareable, pool, type,
             flags)
GPULOOM_SAME(cuMemPoolImportFromShareableHandle, cudaMemPoolImportFromShareableHandle,
             (cudart::PoolHandle * pool, void* shareable, int type, unsigned flags), pool, shareable, type,
             flags)
GPULOOM_SAME(cuMemPoolExportPointer, cudaMemPoolExportPointer, (InterprocessHandle * handle, void* pointer),
             handle, pointer)
GPULOOM_SAME(cuMemPoolImportPointer, cudaMemPoolImportPointer,
             (void** pointer, cudart::PoolHandle pool, const InterprocessHandle* handle), pointer, pool,
             handle)

GPULOOM_CUDA int cuIpcOpenMemHandle(void** pointer, InterprocessHandle handle, unsigned flags) {
  return cuIpcOpenMemHandle_v2(pointer, handle, flags);
}

}  // namespace gpuloom::driver
