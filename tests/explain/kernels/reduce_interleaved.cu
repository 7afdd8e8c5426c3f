// SPDX-License-Identifier: Apache-2.0
// A reduction whose active lanes are ever farther apart; the repaired one keeps them together.
extern "C" __global__ void planted(const float* in, float* out, int rounds) {
  __shared__ float s[512];
  float total = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[threadIdx.x] + k;
    s[threadIdx.x + 256] = in[threadIdx.x + 256] + k;
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < 512; step *= 2) {
      const int i = 2 * step * threadIdx.x;
      if (i < 512) s[i] += s[i + step];  // defect
      __syncthreads();
    }
    total += s[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
extern "C" __global__ void repaired(const float* in, float* out, int rounds) {
  __shared__ float s[512];
  float total = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[threadIdx.x] + k;
    s[threadIdx.x + 256] = in[threadIdx.x + 256] + k;
    __syncthreads();
#pragma unroll 1
    for (int step = 256; step > 0; step /= 2) {
      const int i = threadIdx.x;
      if (i < step) s[i] += s[i + step];
      __syncthreads();
    }
    total += s[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
