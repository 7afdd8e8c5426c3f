// SPDX-License-Identifier: Apache-2.0
// Streams, events, host functions, capture: the runtime's under the driver's names.
#include "sim/cuda/driver.h"

namespace gpuloom::driver {
namespace {

using cudart::EdgeData;
using cudart::GraphHandle;
using cudart::HostFunction;
using cudart::LaunchAttributeValue;
using cudart::NodeHandle;
using cudart::StreamCallback;

}  // namespace

GPULOOM_SAME(cuStreamCreate, cudaStreamCreateWithFlags, (StreamHandle * stream, unsigned flags), stream,
             flags)
GPULOOM_SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority,
             (StreamHandle * stream, unsigned flags, int priority), stream, flags, priority)
GPULOOM_SAME(cuStreamDestroy_v2, cudaStreamDestroy, (StreamHandle stream), stream)
GPULOOM_SAME_BOTH(cuStreamSynchronize, _ptsz, cudaStreamSynchronize, _ptsz, (StreamHandle stream), stream)
GPULOOM_SAME_BOTH(cuStreamQuery, _ptsz, cudaStreamQuery, _ptsz, (StreamHandle stream), stream)
GPULOOM_SAME_BOTH(cuStreamGetPriority, _ptsz, cudaStreamGetPriority, _ptsz,
                  (StreamHandle stream, int* priority), stream, priority)
GPULOOM_SAME_BOTH(cuStreamGetFlags, _ptsz, cudaStreamGetFlags, _ptsz, (StreamHandle stream, unsigned* flags),
                  stream, flags)
GPULOOM_SAME_BOTH(cuStreamGetId, _ptsz, cudaStreamGetId, _ptsz, (StreamHandle stream, unsigned long long* id),
                  stream, id)
GPULOOM_SAME_BOTH(cuStreamGetDevice, _ptsz, cudaStreamGetDevice, _ptsz, (StreamHandle stream, int* device),
                  stream, device)
GPULOOM_SAME_BOTH(cuStreamWaitEvent, _ptsz, cudaStreamWaitEvent, _ptsz,
                  (StreamHandle stream, EventHandle event, unsigned flags), stream, event, flags)
GPULOOM_SAME_BOTH(cuLaunchHostFunc, _ptsz, cudaLaunchHostFunc, _ptsz,
                  (StreamHandle stream, HostFunction function, void* data), stream, function, data)
GPULOOM_SAME_BOTH(cuStreamAddCallback, _ptsz, cudaStreamAddCallback, _ptsz,
                  (StreamHandle stream, StreamCallback function, void* data, unsigned flags), stream,
                  function, data, flags)
GPULOOM_SAME_BOTH(cuStreamAttachMemAsync, _ptsz, cudaStreamAttachMemAsync, _ptsz,
                  (StreamHandle stream, void* pointer, size_t bytes, unsigned flags), stream, pointer, bytes,
                  flags)
GPULOOM_SAME_BOTH(cuStreamGetAttribute, _ptsz, cudaStreamGetAttribute, _ptsz,
                  (StreamHandle stream, int id, LaunchAttributeValue* value), stream, id, value)
GPULOOM_SAME_BOTH(cuStreamSetAttribute, _ptsz, cudaStreamSetAttribute, _ptsz,
                  (StreamHandle stream, int id, const LaunchAttributeValue* value), stream, id, value)
GPULOOM_SAME_BOTH(cuStreamCopyAttributes, _ptsz, cudaStreamCopyAttributes, _ptsz,
                  (StreamHandle to, StreamHandle from), to, from)

GPULOOM_BOTH(cuStreamGetCtx, _ptsz, (StreamHandle stream, ContextHandle* context), stream, context) {
  const ContextHandle current = current_context();
  return call([&](host::Runtime&, host::Context& c) {
    cudart::stream_of(c, stream, defaults);
    host::require(context != nullptr);
    *context = current;
  });
}

GPULOOM_BOTH(cuStreamGetCtx_v2, _ptsz, (StreamHandle stream, ContextHandle* context, void** green), stream,
             context, green) {
  if (green != nullptr) *green = nullptr;
  return defaults == Defaults::kLegacy ? cuStreamGetCtx(stream, context)
                                       : cuStreamGetCtx_ptsz(stream, context);
}

GPULOOM_SAME_BOTH(cuStreamBeginCapture_v2, _ptsz, cudaStreamBeginCapture, _ptsz,
                  (StreamHandle stream, int mode), stream, mode)
GPULOOM_SAME_BOTH(cuStreamBeginCaptureToGraph, _ptsz, cudaStreamBeginCaptureToGraph, _ptsz,
                  (StreamHandle stream, GraphHandle graph, const NodeHandle* from, const EdgeData* data,
                   size_t count, int mode),
                  stream, graph, from, data, count, mode)
GPULOOM_SAME_BOTH(cuStreamEndCapture, _ptsz, cudaStreamEndCapture, _ptsz,
                  (StreamHandle stream, GraphHandle* graph), stream, graph)
GPULOOM_SAME_BOTH(cuStreamIsCapturing, _ptsz, cudaStreamIsCapturing, _ptsz, (StreamHandle stream, int* state),
                  stream, state)
GPULOOM_SAME_BOTH(cuStreamGetCaptureInfo_v3, _ptsz, cudaStreamGetCaptureInfo, _ptsz,
                  (StreamHandle stream, int* state, unsigned long long* id, GraphHandle* graph,
                   const NodeHandle** from, const EdgeData** data, size_t* count),
                  stream, state, id, graph, from, data, count)
GPULOOM_SAME_BOTH(cuStreamUpdateCaptureDependencies_v2, _ptsz, cudaStreamUpdateCaptureDependencies, _ptsz,
                  (StreamHandle stream, NodeHandle* nodes, const EdgeData* data, size_t count,
                   unsigned flags),
                  stream, nodes, data, count, flags)

GPULOOM_BOTH(cuStreamGetCaptureInfo_v2, _ptsz,
             (StreamHandle stream, int* state, unsigned long long* id, GraphHandle* graph,
              const NodeHandle** from, size_t* count),
             stream, state, id, graph, from, count) {
  return defaults == Defaults::kLegacy
             ? cuStreamGetCaptureInfo_v3(stream, state, id, graph, from, nullptr, count)
             : cuStreamGetCaptureInfo_v3_ptsz(stream, state, id, graph, from, nullptr, count);
}

GPULOOM_SAME(cuEventCreate, cudaEventCreateWithFlags, (EventHandle * event, unsigned flags), event, flags)
GPULOOM_SAME(cuEventDestroy_v2, cudaEventDestroy, (EventHandle event), event)
GPULOOM_SAME_BOTH(cuEventRecord, _ptsz, cudaEventRecord, _ptsz, (EventHandle event, StreamHandle stream),
                  event, stream)
GPULOOM_SAME_BOTH(cuEventRecordWithFlags, _ptsz, cudaEventRecordWithFlags, _ptsz,
                  (EventHandle event, StreamHandle stream, unsigned flags), event, stream, flags)
GPULOOM_SAME(cuEventQuery, cudaEventQuery, (EventHandle event), event)
GPULOOM_SAME(cuEventSynchronize, cudaEventSynchronize, (EventHandle event), event)
GPULOOM_SAME(cuEventElapsedTime, cudaEventElapsedTime,
             (float* milliseconds, EventHandle start, EventHandle end), milliseconds, start, end)

GPULOOM_CUDA int cuEventElapsedTime_v2(float* milliseconds, EventHandle start, EventHandle end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

}  // namespace gpuloom::driver
