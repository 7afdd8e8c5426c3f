// SPDX-License-Identifier: Apache-2.0
// Rates of tensor cores: four chains a warp of one mma; eight of them a turn. Compiled a capability at a time: SM is 70, 80 or 89.
#include <cstdint>
#include <mma.h>

#define D_F32(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define D_INT(d) "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define D_F16(d) "+r"(d[0]), "+r"(d[1])

// A kernel of one shape: `registers` of a and b, and what its accumulator is.
#define MMA_KERNEL(name, type, parts, text, d, a, b, D, AB)                                                    \
  extern "C" __global__ void name(type* out, int turns, uint32_t x, uint32_t y) {                             \
    type v[4][parts];                                                                                         \
    for (int k = 0; k < 4; ++k)                                                                               \
      for (int e = 0; e < parts; ++e) v[k][e] = 0;                                                            \
    _Pragma("unroll 1") for (int t = 0; t < turns; ++t) {                                                     \
      _Pragma("unroll") for (int u = 0; u < 2; ++u)                                                           \
        _Pragma("unroll") for (int k = 0; k < 4; ++k) asm volatile(text " " d ", " a ", " b ", " d ";" : D(v[k]) : AB); \
    }                                                                                                         \
    for (int k = 0; k < 4; ++k)                                                                               \
      for (int e = 0; e < parts; ++e) out[(k * parts + e) * blockDim.x + threadIdx.x] = v[k][e];              \
  }
#define FOUR "{%0, %1, %2, %3}"
#define TWO "{%0, %1}"
#define AB42(x, y) "r"(x), "r"(y), "r"(x), "r"(y), "r"(x), "r"(y)
#define AB21(x, y) "r"(x), "r"(y), "r"(x)

#if SM == 80
MMA_KERNEL(mma_f16_f32, float, 4, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", FOUR, "{%4, %5, %6, %7}", "{%8, %9}", D_F32, AB42(x, y))
MMA_KERNEL(mma_bf16_f32, float, 4, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", FOUR, "{%4, %5, %6, %7}", "{%8, %9}", D_F32, AB42(x, y))
MMA_KERNEL(mma_f16_f16, uint32_t, 2, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", TWO, "{%2, %3, %4, %5}", "{%6, %7}", D_F16, AB42(x, y))
MMA_KERNEL(mma_tf32, float, 4, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", FOUR, "{%4, %5, %6, %7}", "{%8, %9}", D_F32, AB42(x, y))
MMA_KERNEL(mma_s8_k32, int, 4, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", FOUR, "{%4, %5, %6, %7}", "{%8, %9}", D_INT, AB42(x, y))
MMA_KERNEL(mma_s8_k16, int, 4, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", FOUR, "{%4, %5}", "{%6}", D_INT, AB21(x, y))
#elif SM == 89
MMA_KERNEL(mma_e4m3_f32, float, 4, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", FOUR, "{%4, %5, %6, %7}", "{%8, %9}", D_F32, AB42(x, y))
MMA_KERNEL(mma_e4m3_f16, uint32_t, 2, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", TWO, "{%2, %3, %4, %5}", "{%6, %7}", D_F16, AB42(x, y))
#else
// m16n16k16 by the wmma interface, which every tensor core has: 4,096 multiply-adds.
template <class In, class Sum>
__device__ void wmma_chains(Sum* out, int turns, In one) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, In, row_major> a;
  fragment<matrix_b, 16, 16, 16, In, col_major> b;
  fragment<accumulator, 16, 16, 16, Sum> v[4];
  fill_fragment(a, one);
  fill_fragment(b, one);
#pragma unroll
  for (int k = 0; k < 4; ++k) fill_fragment(v[k], Sum(0));
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 2; ++u)
#pragma unroll
      for (int k = 0; k < 4; ++k) mma_sync(v[k], a, b, v[k]);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) store_matrix_sync(out + 256 * k, v[k], 16, mem_row_major);
}
extern "C" __global__ void wmma_f16_f32(float* out, int turns, unsigned short one) { wmma_chains<__half, float>(out, turns, __ushort_as_half(one)); }
#if SM == 75
extern "C" __global__ void wmma_s8(int* out, int turns, int one) { wmma_chains<signed char, int>(out, turns, (signed char)one); }
#endif
#endif
