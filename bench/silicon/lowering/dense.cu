// SPDX-License-Identifier: Apache-2.0
// Dense kernels: matrix products, transposes, stencils, convolutions, asynchronous copies.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" __global__ void gemm_tile16(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                       int n) {
  __shared__ float as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

extern "C" __global__ void __launch_bounds__(256) gemm_reg4x4(const float* __restrict__ a, const float* __restrict__ b,
                                                            float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[8][64], bs[8][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int p = 0; p < k; p += 8) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int e = t + i * 256;
      as[e % 8][e / 8] = a[(row0 + e / 8) * k + p + e % 8];
      bs[e / 64][e % 64] = b[(p + e / 64) * n + col0 + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const float4 x = *reinterpret_cast<const float4*>(&as[q][ty * 4]);
      const float4 y = *reinterpret_cast<const float4*>(&bs[q][tx * 4]);
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}

extern "C" __global__ void gemv_row_warp(const float* __restrict__ a, const float* __restrict__ x, float* y, int rows,
                                         int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = 0;
  for (int c = lane; c < cols; c += 32) s += a[static_cast<size_t>(row) * cols + c] * x[c];
#pragma unroll
  for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0) y[row] = s;
}

extern "C" __global__ void wmma_gemm_f16(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  const int tile_m = blockIdx.y, tile_n = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  fragment<accumulator, 16, 16, 16, float> acc;
  fill_fragment(acc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    load_matrix_sync(fa, a + tile_m * 16 * n + k, n);
    load_matrix_sync(fb, b + tile_n * 16 * n + k, n);
    mma_sync(acc, fa, fb, acc);
  }
  store_matrix_sync(c + tile_m * 16 * n + tile_n * 16, acc, n, mem_row_major);
}

extern "C" __global__ void mma_ldmatrix_tile(const __half* __restrict__ a, const __half* __restrict__ b, float* c, int k) {
  __shared__ __align__(16) __half sa[16 * 64], sb[8 * 64];
  const int lane = threadIdx.x;
  float d[4] = {};
  for (int p = 0; p < k; p += 64) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      *reinterpret_cast<uint4*>(&sa[(i * 32 + lane) * 8]) = *reinterpret_cast<const uint4*>(&a[p * 16 + (i * 32 + lane) * 8]);
#pragma unroll
    for (int i = 0; i < 2; ++i)
      *reinterpret_cast<uint4*>(&sb[(i * 32 + lane) * 8]) = *reinterpret_cast<const uint4*>(&b[p * 8 + (i * 32 + lane) * 8]);
    __syncwarp();
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      unsigned r0, r1, r2, r3, s0, s1;
      const unsigned pa = static_cast<unsigned>(__cvta_generic_to_shared(&sa[(lane % 16) * 64 + q * 16 + lane / 16 * 8]));
      const unsigned pb = static_cast<unsigned>(__cvta_generic_to_shared(&sb[(lane % 8) * 64 + q * 16 + (lane / 8 % 2) * 8]));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(pa));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(s0), "=r"(s1) : "r"(pb));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(s0), "r"(s1));
    }
    __syncwarp();
  }
  float* o = c + (lane / 4) * 8 + (lane % 4) * 2;
  *reinterpret_cast<float2*>(o) = make_float2(d[0], d[1]);
  *reinterpret_cast<float2*>(o + 64) = make_float2(d[2], d[3]);
}

extern "C" __global__ void transpose_tile32(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void stencil_1d_r3(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float s[256 + 6];
  const int g = blockIdx.x * 256 + threadIdx.x, l = threadIdx.x + 3;
  s[l] = g < n ? in[g] : 0.f;
  if (threadIdx.x < 3) {
    s[l - 3] = g >= 3 ? in[g - 3] : 0.f;
    s[l + 256] = g + 256 < n ? in[g + 256] : 0.f;
  }
  __syncthreads();
  float r = 0;
#pragma unroll
  for (int o = -3; o <= 3; ++o) r += s[l + o];
  if (g < n) out[g] = r;
}

extern "C" __global__ void stencil_2d9(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) sum += in[(y + dy) * w + x + dx] * (dx * dy == 0 ? 0.125f : 0.0625f);
  out[y * w + x] = sum;
}

extern "C" __global__ void stencil_3d_march(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz,
                                            float c0, float c1) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  int i = y * nx + x;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    const float above = in[i + plane];
    out[i] = c0 * here + c1 * (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
    below = here;
    here = above;
  }
}

extern "C" __global__ void conv2d_5x5_const(const float* __restrict__ in, float* __restrict__ out, int w, int h,
                                            const float* __restrict__ k) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 5; ++i) {
#pragma unroll
    for (int j = 0; j < 5; ++j) {
      const int yy = min(max(y + i - 2, 0), h - 1), xx = min(max(x + j - 2, 0), w - 1);
      sum += k[i * 5 + j] * in[yy * w + xx];
    }
  }
  if (x < w && y < h) out[y * w + x] = sum;
}

extern "C" __global__ void cp_async_double(const float4* __restrict__ in, float4* __restrict__ out, int tiles) {
  __shared__ float4 buf[2][128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&buf[0][t], &in[blockIdx.x * tiles * 128 + t], 16);
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&buf[(i + 1) & 1][t], &in[(blockIdx.x * tiles + i + 1) * 128 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = buf[i & 1][127 - t];
    v.x = v.x * 2 + 1;
    v.y = v.y * 2 + 1;
    v.z = v.z * 2 + 1;
    v.w = v.w * 2 + 1;
    out[(blockIdx.x * tiles + i) * 128 + t] = v;
    __syncthreads();
  }
}

extern "C" __global__ void saxpy_half2(const __half2* __restrict__ x, __half2* y, __half2 a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = __hfma2(a, x[i], y[i]);
}

extern "C" __global__ void softmax_half(const __half* __restrict__ x, __half* __restrict__ y, int cols) {
  const int lane = threadIdx.x;
  const __half* row = x + blockIdx.x * cols;
  float m = -INFINITY, s = 0;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, __half2float(row[c]));
  for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  for (int c = lane; c < cols; c += 32) s += __expf(__half2float(row[c]) - m);
  for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);
  for (int c = lane; c < cols; c += 32)
    y[blockIdx.x * cols + c] = __float2half(__fdividef(__expf(__half2float(row[c]) - m), s));
}
