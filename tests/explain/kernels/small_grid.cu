// SPDX-License-Identifier: Apache-2.0
// One block for two SMs; the repaired launch has two of half the size.
__device__ void work(const float* in, float* out, int n) {
  float x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = in[(threadIdx.x + i) & 31];
#pragma unroll 1
  for (int k = 0; k < n; k += 4)
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i % 4] = x[i % 4] * 0.999f + 0.5f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}
extern "C" __global__ void planted(const float* in, float* out, int n) { work(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { work(in, out, n); }
