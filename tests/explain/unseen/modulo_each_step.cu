// SPDX-License-Identifier: Apache-2.0
// The place in a ring is found by a division in each step; the repaired kernel counts it up.
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int n, unsigned size) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at], sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += (v % size) ^ k;  // defect
    v += 77;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int n, unsigned size) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at] % size, sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += v ^ k;
    v += 77;
    if (v >= size) v -= size;
  }
  out[at] = sum;
}
