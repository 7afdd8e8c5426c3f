// SPDX-License-Identifier: Apache-2.0
// Thousands of blocks with a few instructions each; the repaired kernel goes on in a loop.
extern "C" __global__ void planted(float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) out[at & 4095] = static_cast<float>(at);
}
extern "C" __global__ void repaired(float* out, int n) {
#pragma unroll 1
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x)
    out[at & 4095] = static_cast<float>(at);
}
