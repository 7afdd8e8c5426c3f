// SPDX-License-Identifier: Apache-2.0
// Two translation units that nvcc links (-rdc=true): variables, functions and templates across them, names of their own.
#include "../check.h"
#include "other.h"

static __device__ int own = 3;
__device__ int counter = 9;

__global__ void first(int* out) {
  out[threadIdx.x] = helper(static_cast<int>(threadIdx.x)) + table[threadIdx.x % 4] + own + twice(1);
  if (threadIdx.x == 0) printf("one unit\n");
}

int main() {
  int* d;
  CUDA(cudaMalloc(&d, 4 * sizeof(int)));
  first<<<1, 4>>>(d);
  int out[4];
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i) CHECK(out[i] == (100 * i + 9 + 2 * i) + 10 * (i + 1) + 3 + 2);
  launch_second(d);
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; ++i) CHECK(out[i] == 5 + 11 * i + 4);
  const int changed = 50;
  CUDA(cudaMemcpyToSymbol(counter, &changed, sizeof changed));
  first<<<1, 4>>>(d);
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(out[0] == 50 + 10 + 3 + 2);
  return verdict();
}
