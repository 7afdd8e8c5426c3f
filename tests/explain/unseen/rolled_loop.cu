// SPDX-License-Identifier: Apache-2.0
// A short inner loop that is not unrolled spends its issue slots on counting and branching.
template <bool kUnroll>
__device__ void taps(const float* in, float* out, int n) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = in[i];
  __syncthreads();
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[at & 1023], sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (kUnroll) {
#pragma unroll
      for (int i = 0; i < 16; ++i) sum += a * i + k;
    } else {
#pragma unroll 1
      for (int i = 0; i < 16; ++i) sum += a * i + k;  // defect
    }
  }
  out[at] = sum + s[threadIdx.x];
}
extern "C" __global__ void planted(const float* in, float* out, int n) { taps<false>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { taps<true>(in, out, n); }
