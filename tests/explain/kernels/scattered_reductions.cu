// SPDX-License-Identifier: Apache-2.0
// Reductions to words that lie a sector apart; the repaired kernel has them side by side.
template <int kStride>
__device__ void reduce(const unsigned* in, unsigned* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) atomicAdd(out + ((at + k * 32) & 1023) * kStride, in[at]);  // defect
}
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int n) { reduce<8>(in, out, n); }
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int n) { reduce<1>(in, out, n); }
