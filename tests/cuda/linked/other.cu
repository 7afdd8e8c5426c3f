// SPDX-License-Identifier: Apache-2.0
#include "other.h"

#include <cstdio>

__device__ int table[4] = {10, 20, 30, 40};
static __device__ int own = 5;

__device__ int helper(int x) { return x * 100 + counter + twice(x); }
__global__ void second(int* out) {
  out[threadIdx.x] = own + static_cast<int>(threadIdx.x) * 11 + twice(2);
  if (threadIdx.x == 0) printf("the other unit\n");
}
void launch_second(int* out) {
  second<<<1, 4>>>(out);
  cudaDeviceSynchronize();
}
