// SPDX-License-Identifier: Apache-2.0
// A loop body that does not fit the instruction cache; the repaired kernel is not unrolled.
template <int kUnroll>
__device__ void steps(const unsigned* in, unsigned* out, int n) {
  unsigned a = in[threadIdx.x], b = a * 3, c = a * 5, d = a * 7;
#pragma unroll 1
  for (int k = 0; k < n; k += kUnroll) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {  // defect
      a = a * 1664525u + b;              // defect
      b = (b << 3) ^ c;                  // defect
      c = c * 22695477u + d;             // defect
      d = (d >> 2) ^ a;                  // defect
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a ^ b ^ c ^ d;
}
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int n) { steps<1024>(in, out, n); }
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int n) { steps<8>(in, out, n); }
