// SPDX-License-Identifier: Apache-2.0
// Between two barriers one warp does the work of all; the repaired kernel shares it.
__device__ float work(float x, int n) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) x = x * 0.999f + 0.5f;
  return x;
}
extern "C" __global__ void planted(const float* in, float* out, int rounds) {
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float x = in[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    x = work(x, k % warps == warp ? 512 : 0);
    __syncthreads();  // defect
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void repaired(const float* in, float* out, int rounds) {
  const int warps = blockDim.x / 32;
  float x = in[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    x = work(x, 512 / warps);
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
