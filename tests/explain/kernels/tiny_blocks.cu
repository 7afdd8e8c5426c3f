// SPDX-License-Identifier: Apache-2.0
// Thousands of blocks with some instructions each; the repaired kernel goes on in a loop.
__device__ float work(int at) {
  float x = static_cast<float>(at);
#pragma unroll
  for (int i = 0; i < 32; ++i) x = x * 0.5f + 1.0f;
  return x;
}
extern "C" __global__ void planted(float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) out[at & 4095] = work(at);
}
extern "C" __global__ void repaired(float* out, int n) {
#pragma unroll 1
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x)
    out[at & 4095] = work(at);
}
