// SPDX-License-Identifier: Apache-2.0
// 96 sums a thread stay in registers: few warps fit. The repaired kernel keeps twelve.
template <int kSums>
__device__ void sums(const float* in, float* out, int n) {
  float s[kSums];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kSums; ++i) s[i] = in[at + i];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float x = in[(at + k * 4096) & 65535];
#pragma unroll
    for (int i = 0; i < kSums; i += kSums / 12) s[i] = s[i] * 0.5f + x;
  }
  float all = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) all += s[i] * (i + 1);
  out[at] = all;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { sums<96>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { sums<12>(in, out, n); }
