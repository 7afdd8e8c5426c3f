// SPDX-License-Identifier: Apache-2.0
// Kernels of textbooks, each with the steps that make it faster: a sum, a transpose, a product of matrices; and plain ones over images and matrices.
// Written for this project after what the published figures say they measure.
#include <cstdint>

// -- Sums of 256 values of each block: interleaved with divergence, interleaved, halves, two loads, the last warp without barriers, no loop.
__device__ void last_warp(volatile float* s, unsigned t) {
  for (int d = 32; d > 0; d /= 2) s[t] += s[t + d];
}
template <int kStep>
__device__ void reduce(const float* in, float* out) {
  __shared__ float s[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * (kStep >= 3 ? 512 : 256) + t;
  s[t] = kStep >= 3 ? in[i] + in[i + 256] : in[i];
  __syncthreads();
  if (kStep == 0)
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
      if (t % (2 * d) == 0) s[t] += s[t + d];
      __syncthreads();
    }
  if (kStep == 1)
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
      const unsigned at = 2 * d * t;
      if (at < blockDim.x) s[at] += s[at + d];
      __syncthreads();
    }
  if (kStep == 2 || kStep == 3)
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
  if (kStep == 4)
    for (unsigned d = blockDim.x / 2; d > 32; d /= 2) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
  if (kStep == 5) {
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
  }
  if (kStep >= 4 && t < 32) last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reduce0(const float* in, float* out) { reduce<0>(in, out); }
extern "C" __global__ void reduce1(const float* in, float* out) { reduce<1>(in, out); }
extern "C" __global__ void reduce2(const float* in, float* out) { reduce<2>(in, out); }
extern "C" __global__ void reduce3(const float* in, float* out) { reduce<3>(in, out); }
extern "C" __global__ void reduce4(const float* in, float* out) { reduce<4>(in, out); }
extern "C" __global__ void reduce5(const float* in, float* out) { reduce<5>(in, out); }
// 1,024 blocks, 128 values a thread: into shared memory, or into a register and shuffles.
extern "C" __global__ void reduce6(const float* in, float* out) {
  __shared__ float s[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * 256 * 128 + t;
  s[t] = 0;
#pragma unroll
  for (int k = 0; k < 128; ++k) s[t] += in[i + k * 256];
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void reduce7(const float* in, float* out) {
  __shared__ float s[32];
  const unsigned t = threadIdx.x, i = blockIdx.x * 256 * 128 + t;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 128; ++k) sum += in[i + k * 256];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t % 32 == 0) s[t / 32] = sum;
  __syncthreads();
  sum = t < 8 ? s[t] : 0;
  if (t < 32)
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t == 0) out[blockIdx.x] = sum;
}

// -- Transposes of an n x n matrix, blocks of 32 x 32 threads: rows read and columns written, the other way round, and by tiles.
extern "C" __global__ void transpose_read(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
extern "C" __global__ void transpose_write(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = in[x * n + y];
}
template <int kPad>
__device__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + kPad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += blockDim.y) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += blockDim.y) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void transpose_shared(const float* in, float* out, int n) { transpose_tile<0>(in, out, n); }
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) { transpose_tile<1>(in, out, n); }

// -- Products of n x n matrices: one value a thread from global memory, with rows or columns along a warp; from tiles.
extern "C" __global__ void matmul_rows(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
// The tile's width is known only when the kernel runs.
extern "C" __global__ void matmul_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float shared[2048];
  const int w = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
  float *s = shared, *t = shared + w * w;
  const int row = blockIdx.y * w + ty, column = blockIdx.x * w + tx;
  float sum = 0;
  for (int p = 0; p < (n + w - 1) / w; ++p) {
    s[ty * w + tx] = row < n && p * w + tx < n ? a[row * n + p * w + tx] : 0;
    t[ty * w + tx] = column < n && p * w + ty < n ? b[(p * w + ty) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < w; ++k) sum += s[ty * w + k] * t[k * w + tx];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
// The same with a width that the compiler knows.
extern "C" __global__ void matmul_tiles32(const float* a, const float* b, float* c, int n) {
  __shared__ float s[32][32], t[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    s[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
    t[ty][tx] = column < n && k + ty < n ? b[(k + ty) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += s[ty][i] * t[i][tx];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// -- Matrices and images, blocks of 16 x 16 or 32 x 32 threads.
extern "C" __global__ void add_columns(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) c[i * n + j] = a[i * n + j] + b[i * n + j];
}
extern "C" __global__ void add_rows(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) c[i * n + j] = a[i * n + j] + b[i * n + j];
}
extern "C" __global__ void grey(const uint8_t* in, uint8_t* out, int n) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n || y >= n) return;
  const uint8_t* p = in + 3 * (y * n + x);
  out[y * n + x] = uint8_t(0.21f * p[0] + 0.71f * p[1] + 0.07f * p[2]);
}
