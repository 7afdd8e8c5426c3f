// SPDX-License-Identifier: Apache-2.0
// Every warp begins four bytes behind the start of a line, and passes the L1: five sectors where four would do.
template <int kOffset>
__device__ void window(const float* in, float* out, int rounds) {
  float sum = 0;
  const float* from = in + kOffset + threadIdx.x;
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) sum += __ldcg(from + (k & 31) * 1024);  // defect
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int rounds) { window<1>(in, out, rounds); }
extern "C" __global__ void repaired(const float* in, float* out, int rounds) { window<32>(in, out, rounds); }
