// SPDX-License-Identifier: Apache-2.0
// Lanes read a column of float4 whose rows are 128 bytes apart.
template <int kPitch>
__device__ void columns(const float4* in, float* out, int rounds) {
  __shared__ float4 tile[32 * kPitch];
  for (int i = threadIdx.x; i < 32 * 8; i += blockDim.x) tile[i / 8 * kPitch + i % 8] = in[i];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    const float4 v = tile[threadIdx.x % 32 * kPitch + k % 8];  // defect
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float4* in, float* out, int rounds) { columns<8>(in, out, rounds); }
extern "C" __global__ void repaired(const float4* in, float* out, int rounds) { columns<9>(in, out, rounds); }
