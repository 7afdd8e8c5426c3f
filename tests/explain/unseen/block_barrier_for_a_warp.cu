// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp exchange words of shared memory behind barriers of the block, where __syncwarp is enough.
template <bool kBlock>
__device__ void exchange(const float* in, float* out, int n) {
  __shared__ float s[1024];
  const int warp = threadIdx.x & ~31, lane = threadIdx.x & 31;
  float x = in[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    s[threadIdx.x] = x;
    if (kBlock) __syncthreads(); else __syncwarp();  // defect
    x = x * 0.5f + s[warp + ((lane + k) & 31)];
    if (kBlock) __syncthreads(); else __syncwarp();  // defect
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { exchange<true>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { exchange<false>(in, out, n); }
