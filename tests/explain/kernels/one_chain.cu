// SPDX-License-Identifier: Apache-2.0
// One chain of sums, and few warps: each operation waits for the one before. The repaired kernel has eight chains.
template <int kChains>
__device__ void chains(const float* in, float* out, int n) {
  float s[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) s[i] = in[threadIdx.x + i];
#pragma unroll 1
  for (int k = 0; k < n; k += 64) {
#pragma unroll
    for (int i = 0; i < 64; ++i) s[i % kChains] = s[i % kChains] * 0.999f + 0.5f;  // defect
  }
  float all = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) all += s[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { chains<1>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { chains<8>(in, out, n); }
