// SPDX-License-Identifier: Apache-2.0
// Four paths by lane; the repaired kernel has them by warp.
__device__ float path(float x, int which) {
  switch (which) {
    case 0:
#pragma unroll 1
      for (int k = 0; k < 40; ++k) x = x * 1.0001f + 0.5f;  // defect
      break;
    case 1:
#pragma unroll 1
      for (int k = 0; k < 40; ++k) x = x * 0.9999f - 0.25f;  // defect
      break;
    case 2:
#pragma unroll 1
      for (int k = 0; k < 40; ++k) x = x * 0.5f + 1.0f;  // defect
      break;
    default:
#pragma unroll 1
      for (int k = 0; k < 40; ++k) x = x * 0.25f - 1.0f;  // defect
  }
  return x;
}
extern "C" __global__ void planted(const float* in, float* out, int rounds) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) x = path(x, at & 3);
  out[at] = x;
}
extern "C" __global__ void repaired(const float* in, float* out, int rounds) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) x = path(x, at / 32 & 3);
  out[at] = x;
}
