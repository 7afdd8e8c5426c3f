// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA 12 declares otherwise than CUDA 13: GPULOOM_CUDA12(name, ...) is what libcudart.so.12
// exports as `name`. All others are the functions of libcudart.so.13 (stubs.py).
#include <cstring>

#include "sim/cudart/abi.h"

using namespace gpuloom::cudart;

#define GPULOOM_CUDA12(NAME, ...)                                 \
  asm(".symver gpuloom_12_" #NAME ", " #NAME "@libcudart.so.12"); \
  extern "C" int gpuloom_12_##NAME(__VA_ARGS__);                  \
  extern "C" int gpuloom_12_##NAME(__VA_ARGS__)

// Of libcudart.so.13.
extern "C" {
int cudaDeviceGetAttribute(int*, int, int);
int cudaGetDeviceProperties(DeviceProperties*, int);
int cudaMemAdvise(const void*, size_t, int, Location);
int cudaMemPrefetchAsync(const void*, size_t, Location, unsigned, StreamHandle);
int cudaMemPrefetchAsync_ptsz(const void*, size_t, Location, unsigned, StreamHandle);
int cudaGraphAddNode(NodeHandle*, GraphHandle, const NodeHandle*, const EdgeData*, size_t, NodeParams*);
int cudaGraphAddDependencies(GraphHandle, const NodeHandle*, const NodeHandle*, const EdgeData*, size_t);
int cudaGraphRemoveDependencies(GraphHandle, const NodeHandle*, const NodeHandle*, const EdgeData*, size_t);
int cudaGraphGetEdges(GraphHandle, NodeHandle*, NodeHandle*, EdgeData*, size_t*);
int cudaGraphNodeGetDependencies(NodeHandle, NodeHandle*, EdgeData*, size_t*);
int cudaGraphNodeGetDependentNodes(NodeHandle, NodeHandle*, EdgeData*, size_t*);
int cudaGraphKernelNodeCopyAttributes(NodeHandle, NodeHandle);
int cudaStreamGetCaptureInfo(StreamHandle, int*, unsigned long long*, GraphHandle*, const NodeHandle**,
                             const EdgeData**, size_t*);
int cudaStreamGetCaptureInfo_ptsz(StreamHandle, int*, unsigned long long*, GraphHandle*, const NodeHandle**,
                                  const EdgeData**, size_t*);
int cudaStreamUpdateCaptureDependencies(StreamHandle, NodeHandle*, const EdgeData*, size_t, unsigned);
int cudaStreamUpdateCaptureDependencies_ptsz(StreamHandle, NodeHandle*, const EdgeData*, size_t, unsigned);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaDeviceGetLimit(size_t*, int);
int cudaDeviceSetLimit(int, size_t);
int cudaDeviceGetCacheConfig(int*);
int cudaDeviceSetCacheConfig(int);
}

namespace {

constexpr int kHost = 2, kDevice = 1;  // cudaMemLocationType
constexpr int kCpu = -1;               // cudaCpuDeviceId

Location location_of(int device) { return device == kCpu ? Location{kHost, 0} : Location{kDevice, device}; }

// The first fields are those of CUDA 13, with eight that it has dropped in between; those that it has added
// are not there.
struct Run {
  size_t to, from, bytes;
};
constexpr size_t kBytes12 = 1032;
constexpr Run kRuns[] = {{0, 0, 348},     {352, 352, 32}, {388, 384, 4},  {396, 388, 8},  {408, 396, 8},
                         {420, 404, 188}, {612, 592, 28}, {640, 624, 28}, {672, 652, 20}, {696, 672, 84}};
struct Dropped {
  size_t to;
  int attribute;  // cudaDeviceAttr
};
constexpr Dropped kDropped[] = {{348, 13}, {384, 15}, {392, 17}, {404, 20},
                                {416, 69}, {608, 36}, {668, 87}, {692, 96}};

}  // namespace

GPULOOM_CUDA12(cudaGetDeviceProperties_v2, void* properties, int device) {
  DeviceProperties all;
  if (const int problem = cudaGetDeviceProperties(properties == nullptr ? nullptr : &all, device))
    return problem;
  char* const bytes = static_cast<char*>(properties);
  std::memset(bytes, 0, kBytes12);
  for (const Run& r : kRuns) std::memcpy(bytes + r.to, reinterpret_cast<const char*>(&all) + r.from, r.bytes);
  for (const Dropped& d : kDropped) {
    int value = 0;
    if (const int problem = cudaDeviceGetAttribute(&value, d.attribute, device)) return problem;
    std::memcpy(bytes + d.to, &value, sizeof value);
  }
  return 0;
}

GPULOOM_CUDA12(cudaRuntimeGetVersion, int* version) {
  constexpr int kInvalidValue = 1, kVersion = 12090;  // the last of CUDA 12
  if (version == nullptr) return kInvalidValue;
  *version = kVersion;
  return 0;
}

GPULOOM_CUDA12(cudaMemAdvise, const void* pointer, size_t bytes, int advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, location_of(device));
}
GPULOOM_CUDA12(cudaMemPrefetchAsync, const void* pointer, size_t bytes, int device, StreamHandle stream) {
  return cudaMemPrefetchAsync(pointer, bytes, location_of(device), 0, stream);
}
GPULOOM_CUDA12(cudaMemPrefetchAsync_ptsz, const void* pointer, size_t bytes, int device,
               StreamHandle stream) {
  return cudaMemPrefetchAsync_ptsz(pointer, bytes, location_of(device), 0, stream);
}

GPULOOM_CUDA12(cudaGraphAddNode, NodeHandle* node, GraphHandle graph, const NodeHandle* from, size_t count,
               NodeParams* params) {
  return cudaGraphAddNode(node, graph, from, nullptr, count, params);
}
GPULOOM_CUDA12(cudaGraphAddDependencies, GraphHandle graph, const NodeHandle* from, const NodeHandle* to,
               size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
GPULOOM_CUDA12(cudaGraphRemoveDependencies, GraphHandle graph, const NodeHandle* from, const NodeHandle* to,
               size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
GPULOOM_CUDA12(cudaGraphGetEdges, GraphHandle graph, NodeHandle* from, NodeHandle* to, size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
GPULOOM_CUDA12(cudaGraphNodeGetDependencies, NodeHandle node, NodeHandle* from, size_t* count) {
  return cudaGraphNodeGetDependencies(node, from, nullptr, count);
}
GPULOOM_CUDA12(cudaGraphNodeGetDependentNodes, NodeHandle node, NodeHandle* to, size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, to, nullptr, count);
}
GPULOOM_CUDA12(cudaGraphKernelNodeCopyAttributes, NodeHandle from, NodeHandle to) {
  return cudaGraphKernelNodeCopyAttributes(to, from);
}

// As CUDA 10 had it, and with what CUDA 11.3 added.
GPULOOM_CUDA12(cudaStreamGetCaptureInfo, StreamHandle stream, int* state, unsigned long long* id) {
  return cudaStreamGetCaptureInfo(stream, state, id, nullptr, nullptr, nullptr, nullptr);
}
GPULOOM_CUDA12(cudaStreamGetCaptureInfo_ptsz, StreamHandle stream, int* state, unsigned long long* id) {
  return cudaStreamGetCaptureInfo_ptsz(stream, state, id, nullptr, nullptr, nullptr, nullptr);
}
GPULOOM_CUDA12(cudaStreamGetCaptureInfo_v2, StreamHandle stream, int* state, unsigned long long* id,
               GraphHandle* graph, const NodeHandle** from, size_t* count) {
  return cudaStreamGetCaptureInfo(stream, state, id, graph, from, nullptr, count);
}
GPULOOM_CUDA12(cudaStreamGetCaptureInfo_v2_ptsz, StreamHandle stream, int* state, unsigned long long* id,
               GraphHandle* graph, const NodeHandle** from, size_t* count) {
  return cudaStreamGetCaptureInfo_ptsz(stream, state, id, graph, from, nullptr, count);
}
GPULOOM_CUDA12(cudaStreamUpdateCaptureDependencies, StreamHandle stream, NodeHandle* nodes, size_t count,
               unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
GPULOOM_CUDA12(cudaStreamUpdateCaptureDependencies_ptsz, StreamHandle stream, NodeHandle* nodes, size_t count,
               unsigned flags) {
  return cudaStreamUpdateCaptureDependencies_ptsz(stream, nodes, nullptr, count, flags);
}

// Names of CUDA 3, gone in CUDA 13.
GPULOOM_CUDA12(cudaThreadSynchronize) { return cudaDeviceSynchronize(); }
GPULOOM_CUDA12(cudaThreadExit) { return cudaDeviceReset(); }
GPULOOM_CUDA12(cudaThreadGetLimit, size_t* value, int limit) { return cudaDeviceGetLimit(value, limit); }
GPULOOM_CUDA12(cudaThreadSetLimit, int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
GPULOOM_CUDA12(cudaThreadGetCacheConfig, int* config) { return cudaDeviceGetCacheConfig(config); }
GPULOOM_CUDA12(cudaThreadSetCacheConfig, int config) { return cudaDeviceSetCacheConfig(config); }
GPULOOM_CUDA12(cudaSetDoubleForDevice, double*) { return 0; }  // has done nothing since CUDA 8
GPULOOM_CUDA12(cudaSetDoubleForHost, double*) { return 0; }
