// SPDX-License-Identifier: Apache-2.0
// Lanes count in words that lie 32 apart: all in one bank.
template <int kPitch>
__device__ void count(const int* in, int* out, int rounds) {
  __shared__ int bins[32 * kPitch];
  for (int i = threadIdx.x; i < 32 * kPitch; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  const int v = in[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) atomicAdd(&bins[threadIdx.x % 32 * kPitch + k % 32], v);  // defect
  __syncthreads();
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x * kPitch + 5];
}
extern "C" __global__ void planted(const int* in, int* out, int rounds) { count<32>(in, out, rounds); }
extern "C" __global__ void repaired(const int* in, int* out, int rounds) { count<33>(in, out, rounds); }
