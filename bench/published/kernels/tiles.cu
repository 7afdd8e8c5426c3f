// SPDX-License-Identifier: Apache-2.0
// c = scale a b + keep c of f32, row by row, in steps of a ladder that gives a thread ever more results: a column of 8 of a tile of 64 x 64; 8 x 8 of it,
// read from shared memory one by one or first into registers; 8 x 8 of 128 x 128 with loads of four values and a's tile turned; the same with two tiles in
// turn and two sets of registers. `turns`: tiles of 8 columns of a, of which a part may be run. tile_plain: as the second, without bounds, its blocks by rows.
#include <cstdint>

namespace {

constexpr int kSlice = 8, kOwn = 8;

// Tiles of `a` and `b` into shared memory, a value at a time, with bounds.
template <int kTile, int kThreads>
__device__ void fill(float (&xs)[kTile][kSlice], float (&ys)[kSlice][kTile], const float* a, const float* b, int rows, int width, int depth, int k) {
  const int t = threadIdx.x, row_a = t / kSlice, column_a = t % kSlice, row_b = t / kTile, column_b = t % kTile;
#pragma unroll
  for (int i = 0; i < kTile; i += kThreads / kSlice) {
    const int row = blockIdx.y * kTile + row_a + i, column = k + column_a;
    xs[row_a + i][column_a] = row < rows && column < depth ? a[row * depth + column] : 0.0f;
  }
#pragma unroll
  for (int i = 0; i < kSlice; i += kThreads / kTile > 0 ? kThreads / kTile : 1) {
    const int row = k + row_b + i, column = blockIdx.x * kTile + column_b;
    ys[row_b + i][column_b] = row < depth && column < width ? b[row * width + column] : 0.0f;
  }
}

template <bool kRegisters>
__device__ void squares(const float* a, const float* b, float* c, int rows, int width, int depth, int turns, float scale, float keep) {
  constexpr int kTile = 64, kAcross = kTile / kOwn;
  __shared__ float xs[kTile][kSlice], ys[kSlice][kTile];
  const int tx = threadIdx.x % kAcross * kOwn, ty = threadIdx.x / kAcross * kOwn;
  float sum[kOwn][kOwn] = {};
  for (int t = 0; t < turns; ++t) {
    fill<kTile, kAcross * kAcross>(xs, ys, a, b, rows, width, depth, t * kSlice);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSlice; ++k) {
      float x[kOwn], y[kOwn];
      if (kRegisters) {
#pragma unroll
        for (int i = 0; i < kOwn; ++i) x[i] = xs[ty + i][k];
#pragma unroll
        for (int i = 0; i < kOwn; ++i) y[i] = ys[k][tx + i];
      }
#pragma unroll
      for (int i = 0; i < kOwn; ++i)
#pragma unroll
        for (int j = 0; j < kOwn; ++j) sum[i][j] += kRegisters ? x[i] * y[j] : xs[ty + i][k] * ys[k][tx + j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
#pragma unroll
    for (int j = 0; j < kOwn; ++j) {
      const int row = blockIdx.y * kTile + ty + i, column = blockIdx.x * kTile + tx + j;
      if (row < rows && column < width) c[row * width + column] = scale * sum[i][j] + keep * c[row * width + column];
    }
}

__device__ float4& four(float& p) { return reinterpret_cast<float4&>(p); }
__device__ const float4& four(const float& p) { return reinterpret_cast<const float4&>(p); }

// A tile of 128 x 128 of which 256 threads load four values each.
struct Wide {
  static constexpr int kTile = 128;
  int row_a, column_a, row_b, column_b, tx, ty;
  __device__ Wide()
      : row_a(threadIdx.x / 2), column_a(threadIdx.x % 2 * 4), row_b(threadIdx.x / 32), column_b(threadIdx.x % 32 * 4), tx(threadIdx.x % 16 * kOwn),
        ty(threadIdx.x / 16 * kOwn) {}
  __device__ void put(float (&xs)[kSlice][kTile], float4 x) const {
    xs[column_a][row_a] = x.x;
    xs[column_a + 1][row_a] = x.y;
    xs[column_a + 2][row_a] = x.z;
    xs[column_a + 3][row_a] = x.w;
  }
  __device__ void own(float (&x)[kOwn], float (&y)[kOwn], const float (&xs)[kSlice][kTile], const float (&ys)[kSlice][kTile], int k) const {
#pragma unroll
    for (int i = 0; i < kOwn; i += 4) four(x[i]) = four(xs[k][ty + i]);
#pragma unroll
    for (int i = 0; i < kOwn; i += 4) four(y[i]) = four(ys[k][tx + i]);
  }
  __device__ void write(float* c, int width, const float (&sum)[kOwn][kOwn], float scale, float keep) const {
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
#pragma unroll
      for (int j = 0; j < kOwn; j += 4) {
        float4& at = four(c[(ty + i) * width + tx + j]);
        float4 v = at;
        v.x = scale * sum[i][j] + keep * v.x;
        v.y = scale * sum[i][j + 1] + keep * v.y;
        v.z = scale * sum[i][j + 2] + keep * v.z;
        v.w = scale * sum[i][j + 3] + keep * v.w;
        at = v;
      }
  }
};

__device__ void multiply(float (&sum)[kOwn][kOwn], const float (&x)[kOwn], const float (&y)[kOwn]) {
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
#pragma unroll
    for (int j = 0; j < kOwn; ++j) sum[i][j] += x[i] * y[j];
}

}  // namespace

extern "C" __global__ void tile_column(const float* a, const float* b, float* c, int rows, int width, int depth, int turns, float scale, float keep) {
  constexpr int kTile = 64;
  __shared__ float xs[kTile][kSlice], ys[kSlice][kTile];
  const int tx = threadIdx.x % kTile, ty = threadIdx.x / kTile * kOwn;
  float sum[kOwn] = {};
  for (int t = 0; t < turns; ++t) {
    fill<kTile, kTile * kTile / kOwn>(xs, ys, a, b, rows, width, depth, t * kSlice);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSlice; ++k) {
      const float y = ys[k][tx];
#pragma unroll
      for (int i = 0; i < kOwn; ++i) sum[i] += xs[ty + i][k] * y;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int row = blockIdx.y * kTile + ty + i, column = blockIdx.x * kTile + tx;
    if (row < rows && column < width) c[row * width + column] = scale * sum[i] + keep * c[row * width + column];
  }
}

extern "C" __global__ void tile_square(const float* a, const float* b, float* c, int rows, int width, int depth, int turns, float scale, float keep) {
  squares<false>(a, b, c, rows, width, depth, turns, scale, keep);
}
extern "C" __global__ void tile_square_held(const float* a, const float* b, float* c, int rows, int width, int depth, int turns, float scale, float keep) {
  squares<true>(a, b, c, rows, width, depth, turns, scale, keep);
}

extern "C" __global__ void tile_wide(const float* a, const float* b, float* c, int width, int depth, int turns, float scale, float keep) {
  __shared__ float xs[kSlice][Wide::kTile], ys[kSlice][Wide::kTile];
  const Wide w;
  a += blockIdx.y * Wide::kTile * depth;
  b += blockIdx.x * Wide::kTile;
  c += blockIdx.y * Wide::kTile * width + blockIdx.x * Wide::kTile;
  float sum[kOwn][kOwn] = {}, x[kOwn], y[kOwn];
  for (int t = 0; t < turns; ++t) {
    w.put(xs, four(a[w.row_a * depth + w.column_a + t * kSlice]));
    four(ys[w.row_b][w.column_b]) = four(b[(t * kSlice + w.row_b) * width + w.column_b]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSlice; ++k) {
      w.own(x, y, xs, ys, k);
      multiply(sum, x, y);
    }
    __syncthreads();
  }
  w.write(c, width, sum, scale, keep);
}

extern "C" __global__ void tile_wide_two(const float* a, const float* b, float* c, int width, int depth, int turns, float scale, float keep) {
  __shared__ float xs[2][kSlice][Wide::kTile], ys[2][kSlice][Wide::kTile];
  const Wide w;
  a += blockIdx.y * Wide::kTile * depth;
  b += blockIdx.x * Wide::kTile;
  c += blockIdx.y * Wide::kTile * width + blockIdx.x * Wide::kTile;
  float sum[kOwn][kOwn] = {}, x[2][kOwn], y[2][kOwn];
  w.put(xs[0], four(a[w.row_a * depth + w.column_a]));
  four(ys[0][w.row_b][w.column_b]) = four(b[w.row_b * width + w.column_b]);
  __syncthreads();
  int from = 0;
  for (int t = 1; t <= turns; ++t) {
    float4 next_x, next_y;
    if (t < turns) {
      next_x = four(a[w.row_a * depth + w.column_a + t * kSlice]);
      next_y = four(b[(t * kSlice + w.row_b) * width + w.column_b]);
    }
    w.own(x[0], y[0], xs[from], ys[from], 0);
#pragma unroll
    for (int k = 0; k < kSlice - 1; ++k) {
      w.own(x[(k + 1) % 2], y[(k + 1) % 2], xs[from], ys[from], k + 1);
      multiply(sum, x[k % 2], y[k % 2]);
    }
    multiply(sum, x[(kSlice - 1) % 2], y[(kSlice - 1) % 2]);
    if (t < turns) {
      from ^= 1;
      w.put(xs[from], next_x);
      four(ys[from][w.row_b][w.column_b]) = next_y;
    }
    __syncthreads();
  }
  w.write(c, width, sum, scale, keep);
}

extern "C" __global__ void tile_plain(float scale, const float* a, const float* b, float keep, float* c, int width, int depth, int turns) {
  constexpr int kTile = 64, kAcross = kTile / kOwn, kThreads = kAcross * kAcross;
  __shared__ float xs[kTile * kSlice], ys[kSlice * kTile];
  const int t = threadIdx.x, tx = t % kAcross, ty = t / kAcross;
  a += blockIdx.x * kTile * depth;
  b += blockIdx.y * kTile;
  c += blockIdx.x * kTile * width + blockIdx.y * kTile;
  float sum[kOwn * kOwn] = {}, x[kOwn] = {}, y[kOwn] = {};
  for (int turn = 0; turn < turns; ++turn, a += kSlice, b += kSlice * width) {
    for (int i = 0; i < kTile; i += kThreads / kSlice) xs[(t / kSlice + i) * kSlice + t % kSlice] = a[(t / kSlice + i) * depth + t % kSlice];
    for (int i = 0; i < kSlice; i += kThreads / kTile) ys[(t / kTile + i) * kTile + t % kTile] = b[(t / kTile + i) * width + t % kTile];
    __syncthreads();
    for (int k = 0; k < kSlice; ++k) {
      for (int i = 0; i < kOwn; ++i) x[i] = xs[(ty * kOwn + i) * kSlice + k];
      for (int i = 0; i < kOwn; ++i) y[i] = ys[k * kTile + tx * kOwn + i];
      for (int i = 0; i < kOwn; ++i)
        for (int j = 0; j < kOwn; ++j) sum[i * kOwn + j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kOwn; ++i)
    for (int j = 0; j < kOwn; ++j) {
      float& at = c[(ty * kOwn + i) * width + tx * kOwn + j];
      at = scale * sum[i * kOwn + j] + keep * at;
    }
}
