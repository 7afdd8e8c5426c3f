// SPDX-License-Identifier: Apache-2.0
// All threads count in the same four words of global memory; the repaired one counts in registers, then in warps.
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) atomicAdd(out + (in[k * all + at] & 3), in[at] & 15);  // defect
}
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  unsigned sum[4] = {};
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const unsigned which = in[k * all + at] & 3, v = in[at] & 15;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) sum[i] += which == i ? v : 0;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned warp = __reduce_add_sync(~0u, sum[i]);
    if (threadIdx.x % 32 == 0) atomicAdd(out + i, warp);
  }
}
