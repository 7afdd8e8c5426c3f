// SPDX-License-Identifier: Apache-2.0
// Three blocks on two SMs, so one SM has twice the work; the repaired launch has twelve smaller ones.
__device__ void work(const float* in, float* out, int n) {
  float x = in[threadIdx.x & 31];
#pragma unroll 1
  for (int k = 0; k < n; ++k) x = x * 0.999f + 0.5f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { work(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { work(in, out, n); }
