// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory: pools, their counts, memory of a captured graph.
#include <vector>

#include "check.h"

__global__ void fill(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value + i;
}

int main() {
  const int n = 5000;
  cudaStream_t s;
  CUDA(cudaStreamCreate(&s));
  int* d;
  CUDA(cudaMallocAsync(&d, n * sizeof(int), s));
  fill<<<(n + 255) / 256, 256, 0, s>>>(d, n, 9);
  std::vector<int> out(n);
  CUDA(cudaMemcpyAsync(out.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, s));
  CUDA(cudaFreeAsync(d, s));
  CUDA(cudaStreamSynchronize(s));
  CHECK(out[0] == 9 && out[n - 1] == 9 + n - 1);
  cudaMemPool_t pool;
  CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
  size_t threshold = ~size_t{0}, used = 1;
  CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 0);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t own;
  CUDA(cudaMemPoolCreate(&own, &properties));
  CUDA(cudaMallocFromPoolAsync(&d, 1 << 20, own, s));
  CUDA(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used >= 1 << 20);
  CUDA(cudaFreeAsync(d, s));
  CUDA(cudaStreamSynchronize(s));
  CUDA(cudaMemPoolDestroy(own));
  EXPECT(cudaErrorInvalidValue, cudaFreeAsync(nullptr, s));
  CUDA(cudaMallocAsync(&d, 64, s));
  CUDA(cudaFree(d));  // the other way to free

  // Memory that lives inside a graph: each launch has it anew.
  int* outside;
  CUDA(cudaMalloc(&outside, n * sizeof(int)));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  int* inside;
  CUDA(cudaMallocAsync(&inside, n * sizeof(int), s));
  fill<<<(n + 255) / 256, 256, 0, s>>>(inside, n, 70);
  CUDA(cudaMemcpyAsync(outside, inside, n * sizeof(int), cudaMemcpyDeviceToDevice, s));
  CUDA(cudaFreeAsync(inside, s));
  cudaGraph_t graph;
  CUDA(cudaStreamEndCapture(s, &graph));
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < 2; ++k) {
    CUDA(cudaMemset(outside, 0, n * sizeof(int)));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    CUDA(cudaMemcpy(out.data(), outside, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(out[0] == 70 && out[n - 1] == 70 + n - 1);
  }
  CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  CHECK(used == 0);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaFree(outside));
  CUDA(cudaStreamDestroy(s));
  return verdict();
}
