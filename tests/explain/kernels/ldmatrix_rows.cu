// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix of halves, 128 bytes each: the eight rows that ldmatrix reads lie in the same banks.
template <int kPitch>
__device__ void rows(const unsigned* in, unsigned* out, int rounds) {
  __shared__ __align__(16) unsigned char tile[32 * kPitch];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
    *reinterpret_cast<unsigned*>(tile + i / 32 * kPitch + i % 32 * 4) = in[i];
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + lane * kPitch;
  unsigned sum = 0;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at + k % 8 * 16));  // defect
    sum += a ^ b ^ c ^ d;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void planted(const unsigned* in, unsigned* out, int rounds) { rows<128>(in, out, rounds); }
extern "C" __global__ void repaired(const unsigned* in, unsigned* out, int rounds) { rows<144>(in, out, rounds); }
