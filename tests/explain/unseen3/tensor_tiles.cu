// SPDX-License-Identifier: Apache-2.0
// Tiles for the tensor cores go through registers into shared memory, and the products wait for them. Repaired, the next
// tile is loaded into registers before the products of this one.
#include <cstdint>
__device__ void multiply(const uint32_t* tile, float (&sum)[8][4], int lane) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint32_t* a = tile + i * 64 + lane;
    const uint32_t* b = tile + 512 + i * 64 + lane;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
                 : "r"(a[0]), "r"(a[32]), "r"(a[0]), "r"(a[32]), "r"(b[0]), "r"(b[32]));
  }
}
template <bool kAhead>
__device__ void products(const uint4* in, float* out, int n) {
  __shared__ __align__(16) uint4 tile[2][256];
  const int lane = threadIdx.x % 32;
  float sum[8][4] = {};
  const uint4* from = in + blockIdx.x * n * 256 + threadIdx.x;
  uint4 next[2];
  if (kAhead) next[0] = from[0], next[1] = from[128];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (!kAhead) next[0] = from[k * 256], next[1] = from[k * 256 + 128];  // defect
    tile[k & 1][threadIdx.x] = next[0], tile[k & 1][threadIdx.x + 128] = next[1];  // defect
    __syncthreads();
    if (kAhead && k + 1 < n) next[0] = from[k * 256 + 256], next[1] = from[k * 256 + 384];
    multiply(reinterpret_cast<const uint32_t*>(tile[k & 1]), sum, lane);
  }
  float all = 0;
  for (int i = 0; i < 8; ++i) all += sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
extern "C" __global__ void planted(const uint4* in, float* out, int n) { products<false>(in, out, n); }
extern "C" __global__ void repaired(const uint4* in, float* out, int n) { products<true>(in, out, n); }
