// SPDX-License-Identifier: Apache-2.0
// Blocks of one warp: an SM is full of blocks before it is full of warps.
__device__ void walk(const float* in, float* out, int n) {
  const int all = gridDim.x * blockDim.x;
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k, at += all) sum = sum * 0.5f + __ldcg(in + (at & 4095));
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { walk(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { walk(in, out, n); }
