// SPDX-License-Identifier: Apache-2.0
// Loads and copies that all warps of a block begin at once, at random places of memory that L2 has.
#pragma once
#include "harness.cuh"

// Another number for each, which looks like chance.
__device__ __forceinline__ unsigned spread(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// Behind a barrier of the block: a warp reads its clock while the barrier still holds it, unless a branch
// comes between (probes/turns).
__device__ __forceinline__ void begin_together() {
  __syncthreads();
  pass(20);
}

// The one block of a grid: what came before is over.
__device__ __forceinline__ void meet_alone() {
  __syncthreads();
  pass(4000);
  begin_together();
}

// Memory comes to L2.
__global__ void reads(const float* x, unsigned n, float* out) {
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += __ldcg(x + i);
  if (sum == 12345.f) *out = sum;
}
