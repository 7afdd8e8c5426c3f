// SPDX-License-Identifier: Apache-2.0
// Blocks of 40 threads that search by halving: the second warp of each has eight. The repaired launch has blocks of 160.
__device__ void search(const unsigned* sorted, const unsigned* keys, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    unsigned x = keys[at] + k, low = 0;
#pragma unroll
    for (int step = 512; step > 0; step /= 2) {
      x = x * 1103515245u + 12345u;
      low += (x >> 16 & 1023) >= sorted[0] + low ? step : 0;
    }
    found += low;
  }
  out[at] = found;
}
extern "C" __global__ void planted(const unsigned* s, const unsigned* k, unsigned* o, int n) { search(s, k, o, n); }
extern "C" __global__ void repaired(const unsigned* s, const unsigned* k, unsigned* o, int n) { search(s, k, o, n); }
