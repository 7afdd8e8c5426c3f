// SPDX-License-Identifier: Apache-2.0
// Copies to eight buffers, and yet each turn waits for the newest of them: the wrong count of groups that may still be
// on their way. The repaired one waits for the oldest.
template <int kBehind>
__device__ void stages(const float* in, float* out, int n) {
  constexpr int kStages = 8;
  __shared__ __align__(16) float s[kStages][128 * 4];
  const int step = gridDim.x * 512;
  const float* from = in + blockIdx.x * 512 + threadIdx.x * 4;
  const auto copy = [&](int k) {
    if (k < n) {
      const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[k % kStages][threadIdx.x * 4]));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + k * step) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kStages - 1; ++k) copy(k);
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    copy(k + kStages - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(kBehind) : "memory");  // defect
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += s[k % kStages][(threadIdx.x + i * 96 + 32) & 511];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { stages<0>(in, out, n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { stages<7>(in, out, n); }
