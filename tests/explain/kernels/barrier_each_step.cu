// SPDX-License-Identifier: Apache-2.0
// A barrier in each step although no thread reads what another has written.
extern "C" __global__ void planted(const float* in, float* out, int rounds) {
  __shared__ float s[512];
  s[threadIdx.x] = in[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = s[threadIdx.x] * 0.5f + k;
    __syncthreads();  // defect
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void repaired(const float* in, float* out, int rounds) {
  __shared__ float s[512];
  s[threadIdx.x] = in[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = s[threadIdx.x] * 0.5f + k;
    asm volatile("" ::: "memory");
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
