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
  CUDA(cudaStreamDestroy(s));
  return verdict();
}
