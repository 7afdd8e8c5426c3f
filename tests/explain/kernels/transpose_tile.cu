// SPDX-License-Identifier: Apache-2.0
// A transpose through shared memory whose tile has 32 words a row: its columns lie in one bank.
constexpr int kN = 128;
template <int kPad>
__device__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][32 + kPad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * kN + x];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
    for (int r = 0; r < 32; r += 8)
      sum += tile[threadIdx.x][(threadIdx.y + r + k) % 32];  // defect
  out[(blockIdx.x * 32 + threadIdx.y) * kN + blockIdx.y * 32 + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out) { transpose<0>(in, out); }
extern "C" __global__ void repaired(const float* in, float* out) { transpose<1>(in, out); }
