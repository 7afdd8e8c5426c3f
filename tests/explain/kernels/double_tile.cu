// SPDX-License-Identifier: Apache-2.0
// Doubles in rows of 16: the lanes of a half-warp meet in two banks.
template <int kPitch>
__device__ void columns(const double* in, double* out, int rounds) {
  __shared__ double tile[32 * kPitch];
  for (int i = threadIdx.x; i < 32 * 16; i += blockDim.x) tile[i / 16 * kPitch + i % 16] = in[i];
  __syncthreads();
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) sum += tile[threadIdx.x % 32 * kPitch + k % 16];  // defect
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const double* in, double* out, int rounds) { columns<16>(in, out, rounds); }
extern "C" __global__ void repaired(const double* in, double* out, int rounds) { columns<17>(in, out, rounds); }
