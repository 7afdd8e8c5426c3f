// SPDX-License-Identifier: Apache-2.0
// Each block reads the same 8 KiB again and again, by loads that do not keep them in the L1.
template <bool kAround>
__device__ void passes(const float* table, float* out, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float* from = table + i * 256 + threadIdx.x;
      sum += kAround ? __ldcg(from) : __ldca(from);  // defect
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* table, float* out, int n) { passes<true>(table, out, n); }
extern "C" __global__ void repaired(const float* table, float* out, int n) { passes<false>(table, out, n); }
