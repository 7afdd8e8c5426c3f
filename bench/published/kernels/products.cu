// SPDX-License-Identifier: Apache-2.0
// c = a b of f32, row by row: tiles of 128 x 128 and 8 of k through shared memory, 8 x 8 results a thread of 256. `turns`: tiles
// of k, of which a part may be run; `depth`: columns of a. Three steps of a ladder: a's tile as it lies in memory; its columns
// put in rows, so that a thread's values lie together; two tiles in turn, the next one loaded while one is used. Before them
// one result a thread of 32 x 32, scaled and added to what c has: neighbours in a column, in a row, and by squares in shared
// memory; there `turns` counts columns of a, for squares 32 of them.
#include <cstdint>

namespace {

constexpr int kTile = 128, kSlice = 8, kOwn = 8, kHalf = kTile / 2;

struct Place {
  int row_a, column_a, row_b, column_b;  // of the four values that this thread loads of each tile
  const float *a, *b;
};

__device__ Place place(const float* a, const float* b, int width, int depth) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  Place p{t / 2, (t & 1) * 4, t / 32, (t & 31) * 4, nullptr, nullptr};
  p.a = a + (blockIdx.y * kTile + p.row_a) * static_cast<int64_t>(depth) + p.column_a;
  p.b = b + p.row_b * static_cast<int64_t>(width) + blockIdx.x * kTile + p.column_b;
  return p;
}

__device__ float4 load(const float* p) { return *reinterpret_cast<const float4*>(p); }
__device__ void store(float* p, float4 v) { *reinterpret_cast<float4*>(p) = v; }

__device__ void multiply(float (&sum)[kOwn][kOwn], const float (&x)[kOwn], const float (&y)[kOwn]) {
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
#pragma unroll
    for (int j = 0; j < kOwn; ++j) sum[i][j] += x[i] * y[j];
}

// A thread's rows and columns: 8 together, or 4 of each half of the tile.
template <bool kHalves>
__device__ int at(int own, int thread) {
  return kHalves ? (own / 4) * kHalf + thread * 4 + own % 4 : thread * kOwn + own;
}

template <bool kHalves>
__device__ void write(float* c, int width, const float (&sum)[kOwn][kOwn]) {
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    float* row = c + (blockIdx.y * kTile + at<kHalves>(i, threadIdx.y)) * static_cast<int64_t>(width) + blockIdx.x * kTile;
#pragma unroll
    for (int j = 0; j < kOwn; j += 4)
      store(row + at<kHalves>(j, threadIdx.x), make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
  }
}

using Rows = float[kSlice][kTile];

__device__ void put(Rows& xs, Rows& ys, const Place& p, float4 x, float4 y) {
  xs[p.column_a][p.row_a] = x.x;
  xs[p.column_a + 1][p.row_a] = x.y;
  xs[p.column_a + 2][p.row_a] = x.z;
  xs[p.column_a + 3][p.row_a] = x.w;
  store(&ys[p.row_b][p.column_b], y);
}

__device__ void use(float (&sum)[kOwn][kOwn], const Rows& xs, const Rows& ys) {
#pragma unroll
  for (int k = 0; k < kSlice; ++k) {
    float x[kOwn], y[kOwn];
#pragma unroll
    for (int h = 0; h < kOwn; h += 4) {
      store(&x[h], load(&xs[k][at<true>(h, threadIdx.y)]));
      store(&y[h], load(&ys[k][at<true>(h, threadIdx.x)]));
    }
    multiply(sum, x, y);
  }
}

}  // namespace

extern "C" __global__ void product_rows(const float* a, const float* b, float* c, int width, int depth, int turns) {
  __shared__ __align__(16) float xs[kTile][kSlice], ys[kSlice][kTile];
  Place p = place(a, b, width, depth);
  float sum[kOwn][kOwn] = {};
  for (int t = 0; t < turns; ++t, p.a += kSlice, p.b += kSlice * width) {
    store(&xs[p.row_a][p.column_a], load(p.a));
    store(&ys[p.row_b][p.column_b], load(p.b));
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSlice; ++k) {
      float x[kOwn], y[kOwn];
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
        x[i] = xs[at<false>(i, threadIdx.y)][k];
        y[i] = ys[k][at<false>(i, threadIdx.x)];
      }
      multiply(sum, x, y);
    }
    __syncthreads();
  }
  write<false>(c, width, sum);
}

extern "C" __global__ void product_columns(const float* a, const float* b, float* c, int width, int depth, int turns) {
  __shared__ __align__(16) Rows xs, ys;
  Place p = place(a, b, width, depth);
  float sum[kOwn][kOwn] = {};
  for (int t = 0; t < turns; ++t, p.a += kSlice, p.b += kSlice * width) {
    put(xs, ys, p, load(p.a), load(p.b));
    __syncthreads();
    use(sum, xs, ys);
    __syncthreads();
  }
  write<true>(c, width, sum);
}

extern "C" __global__ void product_two(const float* a, const float* b, float* c, int width, int depth, int turns) {
  __shared__ __align__(16) Rows xs[2], ys[2];
  Place p = place(a, b, width, depth);
  float sum[kOwn][kOwn] = {};
  put(xs[0], ys[0], p, load(p.a), load(p.b));
  __syncthreads();
  for (int t = 1; t < turns; ++t) {
    p.a += kSlice;
    p.b += kSlice * width;
    const float4 x = load(p.a), y = load(p.b);
    use(sum, xs[(t - 1) & 1], ys[(t - 1) & 1]);
    put(xs[t & 1], ys[t & 1], p, x, y);
    __syncthreads();
  }
  use(sum, xs[(turns - 1) & 1], ys[(turns - 1) & 1]);
  write<true>(c, width, sum);
}

namespace {

constexpr int kSquare = 32;

__device__ void one_result(const float* a, const float* b, float* c, int row, int column, int width, int depth, int turns,
                           float scale, float keep) {
  float sum = 0;
  for (int k = 0; k < turns; ++k) sum += a[row * depth + k] * b[k * width + column];
  c[row * width + column] = scale * sum + keep * c[row * width + column];
}

}  // namespace

extern "C" __global__ void product_column_apart(const float* a, const float* b, float* c, int width, int depth, int turns,
                                                float scale, float keep) {
  one_result(a, b, c, blockIdx.x * kSquare + threadIdx.x, blockIdx.y * kSquare + threadIdx.y, width, depth, turns, scale, keep);
}

extern "C" __global__ void product_row_together(const float* a, const float* b, float* c, int width, int depth, int turns,
                                                float scale, float keep) {
  one_result(a, b, c, blockIdx.x * kSquare + threadIdx.y, blockIdx.y * kSquare + threadIdx.x, width, depth, turns, scale, keep);
}

extern "C" __global__ void product_squares(const float* a, const float* b, float* c, int width, int depth, int turns,
                                           float scale, float keep) {
  __shared__ float xs[kSquare * kSquare], ys[kSquare * kSquare];
  const unsigned y = threadIdx.x / kSquare, x = threadIdx.x % kSquare;
  const unsigned row = blockIdx.x * kSquare + y, column = blockIdx.y * kSquare + x;
  float sum = 0;
  for (int t = 0; t < turns; ++t) {
    xs[threadIdx.x] = a[row * depth + t * kSquare + x];
    ys[threadIdx.x] = b[(t * kSquare + y) * width + column];
    __syncthreads();
    for (int k = 0; k < kSquare; ++k) sum += xs[y * kSquare + k] * ys[k * kSquare + x];
    __syncthreads();
  }
  c[row * width + column] = scale * sum + keep * c[row * width + column];
}
