// SPDX-License-Identifier: Apache-2.0
// Halves are made floats and halves again in each step; the repaired kernel keeps floats until the end.
#include <cuda_fp16.h>
extern "C" __global__ void planted(const __half* in, __half* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  __half x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = __hadd(in[at], __float2half(i));
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = __float2half(__half2float(x[i]) * 0.75f + 0.5f);  // defect
  out[at] = __hadd(__hadd(x[0], x[1]), __hadd(x[2], x[3]));
}
extern "C" __global__ void repaired(const __half* in, __half* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = __half2float(in[at]) + i;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = x[i] * 0.75f + 0.5f;
  out[at] = __float2half(x[0] + x[1] + x[2] + x[3]);
}
