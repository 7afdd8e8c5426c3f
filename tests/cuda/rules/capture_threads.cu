// SPDX-License-Identifier: Apache-2.0
// Which calls a capture forbids, by its mode and by who makes them: the thread that captures, and another one
// in its own mode, which is global unless it says otherwise. A call that may wait is not taken, and the
// capture that forbids it is invalid then.
#include <thread>

#include "capturing.h"

namespace {

__device__ int symbol;

// What the calls use, new for each question, since a call may destroy it.
struct Things {
  int *memory, *pooled, *managed;
  void *pinned, *plain, *registered;
  cudaArray_t array;
  cudaMipmappedArray_t mipmapped;
  cudaTextureObject_t texture;
  cudaEvent_t recorded, event;
  cudaStream_t stream, unused;
  cudaGraph_t graph, unused_graph;
  cudaGraphExec_t exec, unused_exec;
};

cudaTextureObject_t texture_of(int* memory, cudaError_t* status) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, cudaCreateChannelDesc<int>(), 64};
  const cudaTextureDesc how = {};
  cudaTextureObject_t object = 0;
  *status = cudaCreateTextureObject(&object, &resource, &how, nullptr);
  return object;
}

Things things() {
  Things t;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  DO(cudaStreamCreateWithFlags(&t.stream, cudaStreamNonBlocking));
  DO(cudaStreamCreateWithFlags(&t.unused, cudaStreamNonBlocking));
  DO(cudaMalloc(&t.memory, 64));
  DO(cudaMallocAsync(&t.pooled, 64, t.stream));
  DO(cudaMallocManaged(&t.managed, 64));
  DO(cudaMallocHost(&t.pinned, 64));
  t.plain = std::aligned_alloc(4096, 4096);
  t.registered = std::aligned_alloc(4096, 4096);
  DO(cudaHostRegister(t.registered, 4096, 0));
  DO(cudaMallocArray(&t.array, &channels, 64, 1, cudaArraySurfaceLoadStore));
  DO(cudaMallocMipmappedArray(&t.mipmapped, &channels, cudaExtent{64, 64, 0}, 2));
  cudaError_t made;
  t.texture = texture_of(t.memory, &made);
  DO(made);
  DO(cudaEventCreate(&t.event));
  DO(cudaEventCreate(&t.recorded));
  DO(cudaEventRecord(t.recorded, t.stream));
  cudaGraphNode_t node;
  DO(cudaGraphCreate(&t.unused_graph, 0));
  DO(cudaGraphCreate(&t.graph, 0));
  DO(cudaGraphAddEmptyNode(&node, t.graph, nullptr, 0));
  DO(cudaGraphInstantiate(&t.exec, t.graph, 0));
  DO(cudaGraphInstantiate(&t.unused_exec, t.graph, 0));
  add<<<1, 1>>>(t.memory, 0);  // the module is loaded before anything is captured
  DO(cudaDeviceSynchronize());
  return t;
}

using Call = cudaError_t (*)(Things&);

// Whether the capture forbids the call: "forbidden", "taken", or what else the call or the capture's end
// says.
std::string answer(Call call, cudaStreamCaptureMode mode, int who) {
  Things t = things();
  cudaStream_t s = stream(cudaStreamNonBlocking);
  cudaError_t called = cudaErrorUnknown;
  DO(cudaStreamBeginCapture(s, mode));
  add<<<1, 1, 0, s>>>(t.memory, 0);
  const auto make = [&] {
    called = call(t);
    cudaGetLastError();
  };
  if (who == 0) {
    make();
  } else {
    std::thread([&] {
      cudaStreamCaptureMode own = who == 1 ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeRelaxed;
      cudaThreadExchangeStreamCaptureMode(&own);
      make();
    }).join();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(s, &graph);
  cudaGetLastError();
  if (called == cudaSuccess && ended == cudaSuccess) return "taken";
  if (called == cudaErrorStreamCaptureUnsupported && ended == cudaErrorStreamCaptureInvalidated)
    return "forbidden";
  return std::string(cudaGetErrorName(called)) + "/" + cudaGetErrorName(ended);
}

void ask(Call call) {
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed})
    for (int who = 0; who < 3; ++who) say(answer(call, mode, who));
}

// Capture global, thread-local, relaxed; each with a call of its own thread, of a global one and of a relaxed
// one.
#define WAITING "forbidden forbidden taken forbidden taken taken taken taken taken"
#define ALWAYS "forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden"
#define NEVER "taken taken taken taken taken taken taken taken taken"

#define ASK(name, wanted, ...)         \
  CASE(capture_meets_##name, wanted) { \
    ask([](Things& t) -> cudaError_t { \
      static_cast<void>(t);            \
      __VA_ARGS__;                     \
    });                                \
  }

ASK(malloc, WAITING, return cudaMalloc(&t.pinned, 64))
ASK(malloc_pitch, WAITING, size_t pitch; return cudaMallocPitch(&t.pinned, &pitch, 64, 4))
ASK(malloc_managed, WAITING, return cudaMallocManaged(&t.pinned, 64))
ASK(malloc_host, WAITING, return cudaMallocHost(&t.pinned, 64))
ASK(host_alloc, WAITING, return cudaHostAlloc(&t.pinned, 64, cudaHostAllocMapped))
ASK(host_register, WAITING, return cudaHostRegister(t.plain, 4096, 0))
ASK(host_unregister, WAITING, return cudaHostUnregister(t.registered))
ASK(malloc_array, WAITING, const cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    return cudaMallocArray(&t.array, &c, 64))
ASK(malloc_mipmapped, WAITING, const cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    return cudaMallocMipmappedArray(&t.mipmapped, &c, cudaExtent{64, 64, 0}, 2))
ASK(free, WAITING, return cudaFree(t.memory))
ASK(free_of_managed, WAITING, return cudaFree(t.managed))
ASK(free_of_nothing, WAITING, return cudaFree(nullptr))
ASK(free_host, WAITING, return cudaFreeHost(t.pinned))
ASK(free_array, WAITING, return cudaFreeArray(t.array))
ASK(free_mipmapped, WAITING, return cudaFreeMipmappedArray(t.mipmapped))
ASK(malloc_async, WAITING, return cudaMallocAsync(&t.pinned, 64, t.stream))
ASK(free_async, WAITING, return cudaFreeAsync(t.pooled, t.stream))
ASK(trim_pool, WAITING, cudaMemPool_t pool; cudaDeviceGetDefaultMemPool(&pool, 0);
    return cudaMemPoolTrimTo(pool, 0))
ASK(pool_attribute, WAITING, cudaMemPool_t pool; cudaDeviceGetDefaultMemPool(&pool, 0);
    unsigned long long keep = 0; return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep))
ASK(create_pool, WAITING, cudaMemPool_t pool; cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned; p.location = {cudaMemLocationTypeDevice, 0};
    return cudaMemPoolCreate(&pool, &p))
ASK(advise, WAITING,
    return cudaMemAdvise(t.managed, 64, cudaMemAdviseSetPreferredLocation,
                         cudaMemLocation{cudaMemLocationTypeDevice, 0}))
ASK(prefetch, NEVER,
    return cudaMemPrefetchAsync(t.managed, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, t.stream))
ASK(create_texture, WAITING, cudaError_t status; texture_of(t.memory, &status); return status)
ASK(destroy_texture, WAITING, return cudaDestroyTextureObject(t.texture))
ASK(create_surface, WAITING, cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray;
    r.res.array.array = t.array; cudaSurfaceObject_t o; return cudaCreateSurfaceObject(&o, &r))
ASK(device_synchronise, ALWAYS, return cudaDeviceSynchronize())
ASK(stream_synchronise, WAITING, return cudaStreamSynchronize(t.stream))
ASK(legacy_synchronise, WAITING, return cudaStreamSynchronize(nullptr))
ASK(stream_query, WAITING, return cudaStreamQuery(t.stream))
ASK(event_synchronise, WAITING, return cudaEventSynchronize(t.recorded))
ASK(event_query, WAITING, return cudaEventQuery(t.recorded))
ASK(event_record, NEVER, return cudaEventRecord(t.recorded, t.stream))
ASK(stream_wait_event, NEVER, return cudaStreamWaitEvent(t.stream, t.recorded, 0))
ASK(create_event, NEVER, return cudaEventCreate(&t.event))
ASK(destroy_event, NEVER, return cudaEventDestroy(t.event))
ASK(create_stream, NEVER, return cudaStreamCreate(&t.unused))
ASK(destroy_stream, NEVER, return cudaStreamDestroy(t.unused))
ASK(launch, NEVER, add<<<1, 1, 0, t.stream>>>(t.memory, 1); return cudaGetLastError())
ASK(legacy_launch, NEVER, add<<<1, 1>>>(t.memory, 1); return cudaGetLastError())
ASK(memcpy, NEVER, return cudaMemcpy(t.memory, t.plain, 64, cudaMemcpyHostToDevice))
ASK(memcpy_to_host, NEVER, return cudaMemcpy(t.plain, t.memory, 64, cudaMemcpyDeviceToHost))
ASK(memcpy_in_device, NEVER, return cudaMemcpy(t.memory, t.memory + 8, 32, cudaMemcpyDeviceToDevice))
ASK(memcpy_async, NEVER, return cudaMemcpyAsync(t.memory, t.plain, 64, cudaMemcpyHostToDevice, t.stream))
ASK(memcpy_to_symbol, NEVER, return cudaMemcpyToSymbol(symbol, t.plain, 4))
ASK(symbol_address, NEVER, return cudaGetSymbolAddress(&t.pinned, symbol))
ASK(memset, NEVER, return cudaMemset(t.memory, 0, 64))
ASK(host_function, NEVER,
    return cudaLaunchHostFunc(
        t.stream, [](void*) {}, nullptr))
ASK(callback, NEVER,
    return cudaStreamAddCallback(
        t.stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0))
ASK(another_capture, NEVER,
    const cudaError_t status = cudaStreamBeginCapture(t.stream, cudaStreamCaptureModeThreadLocal);
    cudaStreamEndCapture(t.stream, &t.graph); return status)
ASK(instantiate, WAITING, return cudaGraphInstantiate(&t.exec, t.graph, 0))
ASK(graph_launch, NEVER, return cudaGraphLaunch(t.exec, t.stream))
ASK(graph_upload, NEVER, return cudaGraphUpload(t.exec, t.stream))
ASK(graph_update, NEVER, cudaGraphExecUpdateResultInfo info;
    return cudaGraphExecUpdate(t.exec, t.graph, &info))
ASK(destroy_exec, WAITING, return cudaGraphExecDestroy(t.unused_exec))
ASK(destroy_graph, NEVER, return cudaGraphDestroy(t.unused_graph))
ASK(heap_limit, WAITING, size_t n; cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize);
    return cudaDeviceSetLimit(cudaLimitMallocHeapSize, n))
ASK(printf_limit, WAITING, size_t n; cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize);
    return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, n))
ASK(stack_limit, WAITING, size_t n; cudaDeviceGetLimit(&n, cudaLimitStackSize);
    return cudaDeviceSetLimit(cudaLimitStackSize, n))
ASK(get_limit, NEVER, size_t n; return cudaDeviceGetLimit(&n, cudaLimitStackSize))
ASK(memory_info, NEVER, size_t a; size_t b; return cudaMemGetInfo(&a, &b))
ASK(pointer_attributes, NEVER, cudaPointerAttributes a; return cudaPointerGetAttributes(&a, t.memory))
ASK(function_attribute, NEVER,
    return cudaFuncSetAttribute(add, cudaFuncAttributePreferredSharedMemoryCarveout, 50))
ASK(occupancy, NEVER, int blocks; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 64, 0))
ASK(reset_persisting, NEVER, return cudaCtxResetPersistingL2Cache())

}  // namespace
