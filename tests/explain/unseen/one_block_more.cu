// SPDX-License-Identifier: Apache-2.0
// Five blocks, of which two SMs hold four: one of them works half as long again. The repaired launch has ten of half the threads.
__device__ void work(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at & 1023], y = x + 1;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    x = x * 0.999f + y;
    y = y * 0.5f + x;
  }
  out[at] = x + y;
}
extern "C" __global__ void planted(const float* in, float* out, int n) {
  work(in, out, n);
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  work(in, out, n);
}
