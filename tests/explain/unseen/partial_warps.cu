// SPDX-License-Identifier: Apache-2.0
// Blocks of 33 threads: the second warp of each has one lane. The repaired launch has the same threads in blocks of 96.
__device__ void work(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = in[at] + i;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i % 4] = x[i % 4] * 0.999f + 0.5f;
  out[at] = x[0] + x[1] + x[2] + x[3];
}
extern "C" __global__ void planted(const float* in, float* out, int n) { work(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { work(in, out, n); }
