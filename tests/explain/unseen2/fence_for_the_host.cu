// SPDX-License-Identifier: Apache-2.0
// Each result is fenced for the whole system as it is written; the repaired kernel leaves that to its end.
template <bool kFence>
__device__ void results(const int* in, int* out, int n) {
  const int all = gridDim.x * blockDim.x;
  int at = blockIdx.x * blockDim.x + threadIdx.x, v = in[at];
#pragma unroll 1
  for (int k = 0; k < n; ++k, at += all) {
#pragma unroll 4
    for (int i = 0; i < 16; ++i) v = v * 1664525 + (v >> 5);
    out[at] = v;
    if (kFence) __threadfence_system();  // defect
  }
}
extern "C" __global__ void planted(const int* in, int* out, int n) { results<true>(in, out, n); }
extern "C" __global__ void repaired(const int* in, int* out, int n) { results<false>(in, out, n); }
