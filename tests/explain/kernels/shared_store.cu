// SPDX-License-Identifier: Apache-2.0
// Every lane writes the first word of a row of 32.
template <int kPitch>
__device__ void scatter(const int* in, int* out, int rounds) {
  __shared__ int rows[128 * kPitch];
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    rows[threadIdx.x * kPitch + k % 32] = v;  // defect
    v += k;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = rows[threadIdx.x * kPitch + 3];
}
extern "C" __global__ void planted(const int* in, int* out, int rounds) { scatter<32>(in, out, rounds); }
extern "C" __global__ void repaired(const int* in, int* out, int rounds) { scatter<33>(in, out, rounds); }
