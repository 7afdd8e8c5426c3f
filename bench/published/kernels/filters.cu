// SPDX-License-Identifier: Apache-2.0
// A filter of 15 x 15 over 4,096 x 4,096 floats, by tiles with their border in shared memory, as the tables of tuned kernels describe it: a block of
// x by y threads, each with own results whose distance is the block, loads through the read-only path or not, rows padded or not. All loops over the
// filter and a thread's own results are unrolled, so the code is long. Names: filter_X_Y_OWNX_OWNY_READONLY_PADDED.
#include <cstdint>

namespace {

constexpr int kImage = 4096, kFilter = 15, kBorder = kFilter / 2 * 2, kInput = kImage + kBorder;
__constant__ float weights[kFilter * kFilter];

template <bool kReadOnly>
__device__ float load(const float* p) {
  if constexpr (kReadOnly) return __ldg(p);
  return *p;
}

template <int X, int Y, int OwnX, int OwnY, bool kReadOnly, bool kPadded>
__device__ void filter(float* out, const float* in) {
  constexpr int kRows = Y * OwnY + kBorder, kColumns = X * OwnX + kBorder;
  constexpr bool kWhole = kImage % (Y * OwnY) == 0 && kImage % (X * OwnX) == 0;
  // Rows of which the part beyond a block's own is whole times 32 have no conflicts where the block is narrower than a warp.
  constexpr bool kPads = kPadded && X % 32 != 0 && (kColumns - X) % 32 != 0;
  __shared__ float tile[kRows][kPads ? kColumns + ((32 - (kColumns - X)) & 31) : kColumns];
  const int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * Y * OwnY, left = blockIdx.x * X * OwnX;
#pragma unroll
  for (int i = ty; i < kRows; i += Y)
#pragma unroll
    for (int j = tx; j < kColumns; j += X) {
      const int y = top + i, x = left + j;
      if (kWhole || (y < kInput && x < kInput)) tile[i][j] = load<kReadOnly>(in + y * kInput + x);
    }
  __syncthreads();
  float sum[OwnY][OwnX] = {};
#pragma unroll
  for (int i = 0; i < kFilter; ++i)
#pragma unroll
    for (int j = 0; j < kFilter; ++j)
#pragma unroll
      for (int v = 0; v < OwnY; ++v)
#pragma unroll
        for (int u = 0; u < OwnX; ++u) sum[v][u] += tile[ty + v * Y + i][tx + u * X + j] * weights[i * kFilter + j];
#pragma unroll
  for (int v = 0; v < OwnY; ++v)
#pragma unroll
    for (int u = 0; u < OwnX; ++u) {
      const int y = top + ty + v * Y, x = left + tx + u * X;
      if (kWhole || (y < kImage && x < kImage)) out[y * kImage + x] = sum[v][u];
    }
}

}  // namespace

#define FILTER(X, Y, OWNX, OWNY, READONLY, PADDED)                                                                                   \
  extern "C" __global__ void filter_##X##_##Y##_##OWNX##_##OWNY##_##READONLY##_##PADDED(float* out, const float* in) { \
    filter<X, Y, OWNX, OWNY, READONLY, PADDED>(out, in);                                                                             \
  }
FILTER(64, 2, 1, 8, 0, 0)
FILTER(128, 2, 1, 7, 1, 0)
FILTER(4, 16, 8, 3, 0, 1)
FILTER(112, 2, 2, 4, 1, 0)
FILTER(64, 8, 1, 7, 0, 0)
FILTER(112, 8, 1, 6, 0, 0)
FILTER(32, 32, 4, 1, 0, 1)
FILTER(96, 2, 4, 6, 1, 0)
FILTER(128, 2, 2, 7, 1, 0)
FILTER(4, 32, 5, 1, 0, 1)
FILTER(8, 8, 5, 4, 1, 1)
FILTER(96, 2, 4, 4, 0, 1)
FILTER(8, 8, 3, 6, 1, 0)
FILTER(48, 4, 8, 1, 1, 1)
FILTER(16, 16, 3, 3, 0, 0)
