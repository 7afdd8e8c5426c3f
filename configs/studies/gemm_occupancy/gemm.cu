// SPDX-License-Identifier: Apache-2.0
// C = A B with a tile of BM x BN a block and TM x TN outputs in each thread's registers; row-major, sizes multiples of
// the tile. nvcc -ptx -arch=compute_75 -o gemm.ptx gemm.cu && gzip -9n gemm.ptx
template <int BM, int BN, int BK, int TM, int TN>
__device__ __forceinline__ void gemm(float* c, const float* a, const float* b, int n) {
  constexpr int kThreads = (BM / TM) * (BN / TN);
  __shared__ float as[BK][BM + 4], bs[BK][BN];
  const int t = threadIdx.x, row = t / (BN / TN) * TM, column = t % (BN / TN) * TN;
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  float sum[TM][TN] = {};
  for (int k = 0; k < n; k += BK) {
#pragma unroll
    for (int i = t; i < BM * BK; i += kThreads) as[i % BK][i / BK] = a[(top + i / BK) * n + k + i % BK];
#pragma unroll
    for (int i = t; i < BK * BN; i += kThreads) bs[i / BN][i % BN] = b[(k + i / BN) * n + left + i % BN];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BK; ++j) {
      float x[TM], y[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) x[i] = as[j][row + i];
#pragma unroll
      for (int i = 0; i < TN; ++i) y[i] = bs[j][column + i];
#pragma unroll
      for (int u = 0; u < TM; ++u)
#pragma unroll
        for (int v = 0; v < TN; ++v) sum[u][v] += x[u] * y[v];
    }
    __syncthreads();
  }
#pragma unroll
  for (int u = 0; u < TM; ++u)
#pragma unroll
    for (int v = 0; v < TN; ++v) c[(top + row + u) * n + left + column + v] = sum[u][v];
}
#define GEMM(name, BM, BN, BK, TM, TN)                                                                                \
  extern "C" __global__ void __launch_bounds__((BM / TM) * (BN / TN)) name(float* c, const float* a, const float* b, \
                                                                           int n) {                                   \
    gemm<BM, BN, BK, TM, TN>(c, a, b, n);                                                                             \
  }
GEMM(tile_32x32_t2x2, 32, 32, 16, 2, 2)
GEMM(tile_64x64_t4x4, 64, 64, 16, 4, 4)
GEMM(tile_64x64_t8x4, 64, 64, 16, 8, 4)
GEMM(tile_128x64_t8x4, 128, 64, 16, 8, 4)
GEMM(tile_128x128_t8x8, 128, 128, 16, 8, 8)
GEMM(tile_128x128_t8x8_k32, 128, 128, 32, 8, 8)
