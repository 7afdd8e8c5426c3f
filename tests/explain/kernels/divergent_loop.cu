// SPDX-License-Identifier: Apache-2.0
// Trip counts differ from lane to lane; in the repaired kernel they differ from warp to warp.
__device__ float turns(float x, int n) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) x = x * 1.0001f + 0.5f;  // defect
  return x;
}
extern "C" __global__ void planted(const float* in, float* out) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = turns(in[at], 16 * (threadIdx.x % 32));
}
extern "C" __global__ void repaired(const float* in, float* out) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = turns(in[at], 16 * (threadIdx.x / 32));
}
