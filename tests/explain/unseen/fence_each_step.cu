// SPDX-License-Identifier: Apache-2.0
// A fence behind each store, although no other thread reads before the kernel has ended.
template <bool kFence>
__device__ void steps(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float x = in[at];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    x = x * 0.5f + k;
    out[k * all + at] = x;
    if (kFence) __threadfence();  // defect
  }
}
extern "C" __global__ void planted(const float* in, float* out, int n) { steps<true>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { steps<false>(in, out, n); }
