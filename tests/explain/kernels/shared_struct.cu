// SPDX-License-Identifier: Apache-2.0
// Structures of eight words in shared memory: neighbouring lanes are eight banks apart.
template <int kStride>
__device__ void fields(const float* in, float* out, int rounds) {
  __shared__ float items[256 * kStride];
  for (int i = threadIdx.x; i < 256 * 8; i += 256) items[i / 8 * kStride + i % 8] = in[i];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) sum += items[((threadIdx.x + k) & 255) * kStride + (k & 7)];  // defect
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int rounds) { fields<8>(in, out, rounds); }
extern "C" __global__ void repaired(const float* in, float* out, int rounds) { fields<9>(in, out, rounds); }
