// SPDX-License-Identifier: Apache-2.0
// A literal without f makes eight sums of doubles.
extern "C" __global__ void planted(const float* in, float* out, int n) {
  float x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = in[threadIdx.x + i];
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = x[i] * 0.999 + 0.5;  // defect
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  float x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = in[threadIdx.x + i];
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = x[i] * 0.999f + 0.5f;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
