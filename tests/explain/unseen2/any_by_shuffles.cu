// SPDX-License-Identifier: Apache-2.0
// Whether any lane has found something is passed around by shuffles; the repaired kernel votes.
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at], hits = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    v = v * 1664525u + 1013904223u;
    int found = v >> 27 == 0;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) found |= __shfl_xor_sync(~0u, found, step);  // defect
    hits += found;
  }
  out[at] = hits;
}
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at], hits = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    v = v * 1664525u + 1013904223u;
    hits += __any_sync(~0u, v >> 27 == 0);
  }
  out[at] = hits;
}
