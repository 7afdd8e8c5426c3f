// SPDX-License-Identifier: Apache-2.0
// A buffer of shared memory for the longest row there can be leaves room for one block of 64 threads; rows are short.
extern __shared__ float row[];
__device__ void rows(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  row[threadIdx.x] = in[at];
  __syncthreads();
  float sum = row[threadIdx.x ^ 1];
#pragma unroll 2
  for (int k = 0; k < n; ++k) sum += in[(at + k * all) & 65535] * row[(threadIdx.x + k) & 63];
  out[at] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { rows(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { rows(in, out, n); }
