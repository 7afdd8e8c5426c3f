// SPDX-License-Identifier: Apache-2.0
// What kernels ask of the system: printf, malloc, assert. Prints its lines first, then PASS.
#include <cassert>
#include <vector>

#include "check.h"

__global__ void say(int n) {
  if (threadIdx.x < n) printf("thread %d of %u: %s %5.2f\n", threadIdx.x, blockDim.x, "half is", threadIdx.x / 2.0);
}
__global__ void build(int** lists, int n) {
  int* list = static_cast<int*>(malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) list[i] = i * threadIdx.x;
  lists[threadIdx.x] = list;
}
__global__ void sum(int** lists, int n, int* sums) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += lists[threadIdx.x][i];
  sums[threadIdx.x] = total;
  free(lists[threadIdx.x]);
}
__global__ void insist(int x) { assert(x == 1); }

int main() {
  say<<<1, 32>>>(3);
  CUDA(cudaDeviceSynchronize());
  int **lists, *sums;
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  size_t heap = 0;
  CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  CHECK(heap >= 1 << 20);
  CUDA(cudaMalloc(&lists, 32 * sizeof(int*)));
  CUDA(cudaMalloc(&sums, 32 * sizeof(int)));
  build<<<1, 32>>>(lists, 10);
  sum<<<1, 32>>>(lists, 10, sums);
  std::vector<int> out(32);
  CUDA(cudaMemcpy(out.data(), sums, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 32; ++i) wrong += out[i] != 45 * i;
  CHECK(wrong == 0);
  insist<<<1, 1>>>(1);
  CUDA(cudaDeviceSynchronize());
  insist<<<1, 1>>>(2);
  EXPECT(cudaErrorAssert, cudaDeviceSynchronize());
  EXPECT(cudaErrorAssert, cudaFree(sums));  // it stays
  return verdict();
}
