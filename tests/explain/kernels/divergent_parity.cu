// SPDX-License-Identifier: Apache-2.0
// Even and odd lanes take different paths; the repaired kernel gives each path whole warps.
__device__ float left(float x) {
#pragma unroll 1
  for (int k = 0; k < 64; ++k) x = x * 1.0001f + 0.5f;  // defect
  return x;
}
__device__ float right(float x) {
#pragma unroll 1
  for (int k = 0; k < 64; ++k) x = x * 0.9999f - 0.25f;  // defect
  return x;
}
extern "C" __global__ void planted(const float* in, float* out, int rounds) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    if (at % 2 == 0)  // defect
      x = left(x);    // defect
    else
      x = right(x);  // defect
  }
  out[at] = x;
}
extern "C" __global__ void repaired(const float* in, float* out, int rounds) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    if (at / 32 % 2 == 0)
      x = left(x);
    else
      x = right(x);
  }
  out[at] = x;
}
