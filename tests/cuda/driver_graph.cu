// SPDX-License-Identifier: Apache-2.0
// Graphs, arrays and textures of the driver API, and both APIs in one program.
#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

__global__ void scale(float* data, int n, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}

__global__ void sample(float* out, CUtexObject texture, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(texture, n - 1 - i);
}

namespace {

constexpr int kCount = 1000;

void graph_of_three() {
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, kCount * sizeof(float)) == CUDA_SUCCESS);
  cudaFunction_t kernel;
  CHECK(cudaGetFuncBySymbol(&kernel, reinterpret_cast<const void*>(&scale)) == cudaSuccess);
  CUcontext context;
  CHECK(cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr);
  CUgraph graph;
  CUgraphNode fill, run, copy;
  CHECK(cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS set = {memory, 0, 0x40400000, 4, kCount, 1};
  CHECK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &set, context) == CUDA_SUCCESS);
  int n = kCount;
  float by = 4;
  void* arguments[] = {&memory, &n, &by};
  CUDA_KERNEL_NODE_PARAMS launch = {};
  launch.func = reinterpret_cast<CUfunction>(kernel);
  launch.gridDimX = 8;
  launch.blockDimX = 128;
  launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  CHECK(cuGraphAddKernelNode(&run, graph, &fill, 1, &launch) == CUDA_SUCCESS);
  std::vector<float> out(kCount, 0);
  CUDA_MEMCPY3D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = memory;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = out.data();
  back.WidthInBytes = kCount * sizeof(float);
  back.Height = back.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copy, graph, &run, 1, &back, context) == CUDA_SUCCESS);
  CUgraphExec exec;
  CHECK(cuGraphInstantiate(&exec, graph, 0) == CUDA_SUCCESS);
  CHECK(cuGraphLaunch(exec, nullptr) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
  for (float x : out) CHECK(x == 12.0f);
  size_t nodes = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &nodes) == CUDA_SUCCESS && nodes == 3);
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(cuMemFree(memory) == CUDA_SUCCESS);
}

void captured() {
  CUstream stream;
  CUgraph graph;
  CUdeviceptr memory;
  CHECK(cuMemAlloc(&memory, 64) == CUDA_SUCCESS && cuStreamCreate(&stream, 0) == CUDA_SUCCESS);
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CHECK(cuMemsetD32Async(memory, 3, 16, stream) == CUDA_SUCCESS);
  CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
  size_t nodes = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &nodes) == CUDA_SUCCESS && nodes == 1);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_SUCCESS);
}

void texture_of_memory() {
  std::vector<float> in(kCount), out(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = static_cast<float>(i);
  float *from, *to;
  CHECK(cudaMalloc(&from, kCount * 4) == cudaSuccess && cudaMalloc(&to, kCount * 4) == cudaSuccess);
  CHECK(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(from), in.data(), kCount * 4) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = reinterpret_cast<CUdeviceptr>(from);
  resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = kCount * 4;
  CUDA_TEXTURE_DESC texture = {};
  CUtexObject object;
  CHECK(cuTexObjectCreate(&object, &resource, &texture, nullptr) == CUDA_SUCCESS);
  sample<<<8, 128>>>(to, object, kCount);
  CHECK(cudaMemcpy(out.data(), to, kCount * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < kCount; ++i) CHECK(out[i] == static_cast<float>(kCount - 1 - i));
  CHECK(cuTexObjectDestroy(object) == CUDA_SUCCESS);
}

void array_and_back() {
  CUDA_ARRAY_DESCRIPTOR shape = {16, 8, CU_AD_FORMAT_UNSIGNED_INT8, 4};
  CUarray array;
  CHECK(cuArrayCreate(&array, &shape) == CUDA_SUCCESS);
  std::vector<unsigned char> in(16 * 4 * 8), out(16 * 4 * 8);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 64;
  copy.Height = 8;
  CHECK(cuMemcpy2D(&copy) == CUDA_SUCCESS);
  CUDA_MEMCPY2D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = array;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = out.data();
  back.WidthInBytes = 64;
  back.Height = 8;
  CHECK(cuMemcpy2D(&back) == CUDA_SUCCESS && in == out);
  CUDA_ARRAY_DESCRIPTOR read = {};
  CHECK(cuArrayGetDescriptor(&read, array) == CUDA_SUCCESS && read.Width == 16 && read.NumChannels == 4);
  CHECK(cuArrayDestroy(array) == CUDA_SUCCESS);
}

}  // namespace

int main() {
  CHECK(cuInit(0) == CUDA_SUCCESS && cudaFree(nullptr) == cudaSuccess);
  graph_of_three();
  captured();
  texture_of_memory();
  array_and_back();
  CHECK(cudaGetLastError() == cudaSuccess);
  return verdict();
}
