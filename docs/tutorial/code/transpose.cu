// SPDX-License-Identifier: Apache-2.0
// out = transpose of in, n x n, by tiles of 32 x 32 in shared memory. PADDING words follow each row of the tile.
#ifndef PADDING
#define PADDING 0
#endif
constexpr int kTile = 32;

__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile + PADDING];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += 8)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += 8)
    out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}
