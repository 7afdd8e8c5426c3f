// SPDX-License-Identifier: Apache-2.0
// A warp adds integers by five shuffles in each step, where one instruction does it.
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at], sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    unsigned s = v;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) s += __shfl_xor_sync(~0u, s, step);  // defect
    sum ^= s;
    v += k;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at], sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum ^= __reduce_add_sync(~0u, v);
    v += k;
  }
  out[at] = sum;
}
