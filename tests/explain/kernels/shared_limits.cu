// SPDX-License-Identifier: Apache-2.0
// A block declares 40 KiB of shared memory and uses one: few warps are there to hide the latency of memory.
template <int kWords>
__device__ void walk(const float* in, float* out, int n) {
  __shared__ float s[kWords];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int all = gridDim.x * blockDim.x;
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = s[(threadIdx.x * 7) % 128];
#pragma unroll 1
  for (int k = 0; k < n; ++k, at += all) sum = sum * 0.5f + in[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { walk<11264>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { walk<256>(in, out, n); }
