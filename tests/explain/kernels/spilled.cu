// SPDX-License-Identifier: Apache-2.0
// Four blocks of 512 threads are promised: 32 registers a thread, of which 48 sums have no place.
template <int kSums>
__device__ void sums(const float* in, float* out, int n) {
  float s[kSums];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kSums; ++i) s[i] = in[at + 4 * i];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float x = static_cast<float>(k);
#pragma unroll
    for (int i = 0; i < kSums; ++i) s[i] = s[i] * 0.5f + x;  // defect
  }
  float all = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) all += s[i] * (i + 1);
  out[at] = all;
}
extern "C" __global__ void __launch_bounds__(512, 4) planted(const float* in, float* out, int n) {
  sums<48>(in, out, n);
}
extern "C" __global__ void __launch_bounds__(512, 1) repaired(const float* in, float* out, int n) {
  sums<48>(in, out, n);
}
