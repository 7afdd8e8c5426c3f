// SPDX-License-Identifier: Apache-2.0
// A thread keeps 96 sums in registers, so few warps fit and they wait for memory. Repaired, it keeps 24 and there are
// four times as many threads.
template <int kSums>
__device__ void sums(const float* in, float* out, int n) {
  const int threads = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum[i] = i;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float v = in[k * 4096 + (at & 4095)];
#pragma unroll
    for (int i = 0; i < kSums; ++i) sum[i] = sum[i] * 0.5f + v;
  }
#pragma unroll
  for (int i = 0; i < kSums; ++i) out[i * threads + at] = sum[i];
}
extern "C" __global__ void __launch_bounds__(256) planted(const float* in, float* out, int n) { sums<96>(in, out, n); }
extern "C" __global__ void __launch_bounds__(256) repaired(const float* in, float* out, int n) { sums<24>(in, out, n); }
