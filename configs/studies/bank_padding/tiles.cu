// SPDX-License-Identifier: Apache-2.0
// Tiles in shared memory whose rows are `pitch` words apart; what the padding should be is the question.
// nvcc -ptx -arch=compute_75 -o tiles.ptx tiles.cu && gzip -9n tiles.ptx
extern __shared__ float tile[];

// 32x32 floats, 32x8 threads: rows in, columns out.
extern "C" __global__ void transpose(float* out, const float* in, int n, int pitch) {
  const int x = threadIdx.x, y = threadIdx.y;
  for (int j = y; j < 32; j += 8) tile[j * pitch + x] = in[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = y; j < 32; j += 8) out[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + x] = tile[x * pitch + j];
}

// Eight tiles of 32x32 floats, one a warp: each lane sums its own row.
extern "C" __global__ void reduce_rows(float* out, const float* in, int n, int pitch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float* own = tile + warp * 32 * pitch;
  const float* from = in + (blockIdx.x * 8 + warp) * 1024;
  for (int j = 0; j < 32; ++j) own[j * pitch + lane] = from[j * 32 + lane];
  __syncwarp();
  float sum = 0;
  for (int j = 0; j < 32; ++j) sum += own[lane * pitch + j];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// 32 rows of 8 floats with a halo of one: a block of 8x32 threads, so that a warp covers four rows of the tile.
extern "C" __global__ void stencil(float* out, const float* in, int n, int pitch) {
  const int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 8 + x, gy = blockIdx.y * 32 + y;
  const int at = (y + 1) * pitch + x + 1;
  tile[at] = in[gy * n + gx];
  if (x == 0) tile[at - 1] = in[gy * n + max(gx - 1, 0)];
  if (x == 7) tile[at + 1] = in[gy * n + min(gx + 1, n - 1)];
  if (y == 0) tile[at - pitch] = in[max(gy - 1, 0) * n + gx];
  if (y == 31) tile[at + pitch] = in[min(gy + 1, n - 1) * n + gx];
  __syncthreads();
  out[gy * n + gx] = 0.5f * tile[at] + 0.125f * (tile[at - 1] + tile[at + 1] + tile[at - pitch] + tile[at + pitch]);
}
