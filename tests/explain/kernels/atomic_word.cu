// SPDX-License-Identifier: Apache-2.0
// Every thread adds to one word of global memory; the repaired kernel adds up in the thread and the warp first.
extern "C" __global__ void planted(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) atomicAdd(out, in[at] * static_cast<float>(k & 1));  // defect
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) x += in[at] * static_cast<float>(k & 1);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  if (threadIdx.x % 32 == 0) atomicAdd(out, x);
}
