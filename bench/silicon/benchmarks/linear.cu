// SPDX-License-Identifier: Apache-2.0
// Third held-out set, linear: matrix products, factorisations, layers of networks, tensor copies. See README.md.
#include "../harness.cuh"
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ float warp_sum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
__device__ __forceinline__ float warp_max(float v) { for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o)); return v; }
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void load_transposed(unsigned (&r)[4], unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}

// A matrix by a vector and its transpose by another: half of the blocks take a row a thread, half a column a thread.
extern "C" __global__ void bicg_pair(float* q, float* s, const float* a, const float* p, const float* r, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float sum = 0;
  if (blockIdx.y == 0) {
    if (i >= rows) return;
    for (int j = 0; j < cols; j++) sum += a[i * cols + j] * p[j];
    q[i] = sum;
  } else {
    if (i >= cols) return;
    for (int j = 0; j < rows; j++) sum += a[j * cols + i] * r[j];
    s[i] = sum;
  }
}
// One step of Gram and Schmidt: the columns behind a given one lose their share of it.
extern "C" __global__ void gram_step(float* r, float* a, const float* q, int rows, int cols, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x; if (j <= k || j >= cols) return;
  r[k * cols + j] = 0.0f;
  for (int i = 0; i < rows; i++) r[k * cols + j] += q[i * cols + k] * a[i * cols + j];
  for (int i = 0; i < rows; i++) a[i * cols + j] -= q[i * cols + k] * r[k * cols + j];
}
// Correlation of columns: a thread a column, against all columns behind it: threads of unlike length.
extern "C" __global__ void correlate_triangle(float* symmetric, const float* data, int m, int n) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x; if (j1 >= m) return;
  symmetric[j1 * m + j1] = 1.0f;
  for (int j2 = j1 + 1; j2 < m; j2++) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += data[i * m + j1] * data[i * m + j2];
    symmetric[j1 * m + j2] = sum; symmetric[j2 * m + j1] = sum;
  }
}
// C = beta C + alpha A A^T from global memory: one factor is read along rows by all lanes.
extern "C" __global__ void syrk_global(float* c, const float* a, int n, int m, float alpha, float beta) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y; if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
  for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}
// LU with pivots of 16 x 16 doubles: a warp a matrix in shared memory.
extern "C" __global__ void lu_pivot_f64(double* m, int* pivot, int n) {
  __shared__ double s[4][16][17]; int lane = threadIdx.x & 31, w = threadIdx.x >> 5, id = blockIdx.x * 4 + w, row = lane & 15, half = lane >> 4; if (id >= n) return;
  double(*a)[17] = s[w]; double* g = m + (size_t)id * 256;
  for (int i = lane; i < 256; i += 32) a[i >> 4][i & 15] = g[i];
  __syncwarp();
  for (int k = 0; k < 16; k++) {
    double best = lane < 16 && lane >= k ? fabs(a[lane][k]) : -1.0; int who = lane;
    for (int o = 8; o; o >>= 1) { double other = __shfl_xor_sync(~0u, best, o); int theirs = __shfl_xor_sync(~0u, who, o); if (other > best || (other == best && theirs < who)) { best = other; who = theirs; } }
    who = __shfl_sync(~0u, who, 0); if (lane == 0) pivot[id * 16 + k] = who;
    if (who != k && lane < 16) { double t = a[k][lane]; a[k][lane] = a[who][lane]; a[who][lane] = t; }
    __syncwarp(); double f = 0; if (row > k) f = a[row][k] / a[k][k];
    __syncwarp();
    if (row > k) { if (half == 0) a[row][k] = f; for (int j = k + 1 + half; j < 16; j += 2) a[row][j] -= f * a[k][j]; }
    __syncwarp();
  }
  for (int i = lane; i < 256; i += 32) g[i] = a[i >> 4][i & 15];
}
// Tridiagonal systems, one a thread, coefficients along the systems.
extern "C" __global__ void thomas_batch(float* x, float* c, const float* a, const float* b, const float* d, int systems, int n) {
  int s = blockIdx.x * blockDim.x + threadIdx.x; if (s >= systems) return; float cp = 0, dp = 0;
  for (int i = 0; i < n; i++) { int at = i * systems + s; float low = a[at], inv = 1.0f / (b[at] + 3.0f - low * cp); cp = 0.7f * inv; dp = (d[at] - low * dp) * inv; c[at] = cp; x[at] = dp; }
  float last = dp;
  for (int i = n - 2; i >= 0; i--) { int at = i * systems + s; last = x[at] - c[at] * last; x[at] = last; }
}
// Transform of 32 points a warp through shuffles, four signals a warp at once.
extern "C" __global__ void fft_shuffle(float2* data, int signals) {
  int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; if (w * 4 >= signals) return; float2 v[4];
#pragma unroll
  for (int k = 0; k < 4; k++) v[k] = data[(w * 4 + k) * 32 + lane];
#pragma unroll
  for (int half = 16; half; half >>= 1) {
    float s, c; bool high = lane & half; sincospif(-(float)(lane & (half - 1)) / half, &s, &c);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      float ox = __shfl_xor_sync(~0u, v[k].x, half), oy = __shfl_xor_sync(~0u, v[k].y, half), dx = high ? ox - v[k].x : v[k].x + ox, dy = high ? oy - v[k].y : v[k].y + oy;
      v[k] = high ? make_float2(dx * c - dy * s, dx * s + dy * c) : make_float2(dx, dy);
    }
  }
  int to = __brev(lane) >> 27;
#pragma unroll
  for (int k = 0; k < 4; k++) data[(w * 4 + k) * 32 + to] = v[k];
}
// A query against a cache of keys and values: every warp its share of positions, online softmax, a merge in shared memory.
extern "C" __global__ void attention_decode(float* out, const half* query, const half* keys, const half* values, int length) {
  __shared__ float part[4][128], top[4], weight[4]; int t = threadIdx.x, lane = t & 31, warp = t >> 5; size_t base = (size_t)blockIdx.x * length * 128;
  uint2 qr = ((const uint2*)(query + blockIdx.x * 128))[lane]; float2 q0 = __half22float2(*(half2*)&qr.x), q1 = __half22float2(*(half2*)&qr.y); float m = -1e30f, sum = 0, o[4] = {};
  for (int p = warp; p < length; p += 4) {
    uint2 kr = ((const uint2*)(keys + base + p * 128))[lane], vr = ((const uint2*)(values + base + p * 128))[lane]; float2 k0 = __half22float2(*(half2*)&kr.x), k1 = __half22float2(*(half2*)&kr.y);
    float s = warp_sum(q0.x * k0.x + q0.y * k0.y + q1.x * k1.x + q1.y * k1.y) * 0.0883883f, next = fmaxf(m, s), scale = __expf(m - next), e = __expf(s - next); m = next; sum = sum * scale + e;
    float2 v0 = __half22float2(*(half2*)&vr.x), v1 = __half22float2(*(half2*)&vr.y); o[0] = o[0] * scale + e * v0.x; o[1] = o[1] * scale + e * v0.y; o[2] = o[2] * scale + e * v1.x; o[3] = o[3] * scale + e * v1.y;
  }
  *(float4*)&part[warp][lane * 4] = make_float4(o[0], o[1], o[2], o[3]); if (lane == 0) { top[warp] = m; weight[warp] = sum; }
  __syncthreads(); float all = fmaxf(fmaxf(top[0], top[1]), fmaxf(top[2], top[3])), total = 0, mine = 0;
#pragma unroll
  for (int w = 0; w < 4; w++) { float f = __expf(top[w] - all); total += f * weight[w]; mine += f * part[w][t]; }
  out[blockIdx.x * 128 + t] = mine / total;
}
// Mean and variance by Welford's steps, merged over lanes and warps.
__device__ __forceinline__ void welford_merge(float& mean, float& m2, float& n, float mean2, float m22, float n2) {
  float all = n + n2; if (all == 0) return; float delta = mean2 - mean, f = n2 / all; mean += delta * f; m2 += m22 + delta * delta * n * f; n = all;
}
extern "C" __global__ void welford_norm(float* out, const float* in, const float* gamma, int width) {
  __shared__ float part[3][8]; int t = threadIdx.x; const float* p = in + (size_t)blockIdx.x * width; float mean = 0, m2 = 0, n = 0;
  for (int i = t; i < width; i += 256) { float v = p[i], delta = v - mean; n += 1; mean += delta / n; m2 += delta * (v - mean); }
  for (int o = 16; o; o >>= 1) welford_merge(mean, m2, n, __shfl_down_sync(~0u, mean, o), __shfl_down_sync(~0u, m2, o), __shfl_down_sync(~0u, n, o));
  if ((t & 31) == 0) { part[0][t >> 5] = mean; part[1][t >> 5] = m2; part[2][t >> 5] = n; }
  __syncthreads();
  if (t == 0) { for (int w = 1; w < 8; w++) welford_merge(mean, m2, n, part[0][w], part[1][w], part[2][w]); part[0][0] = mean; part[1][0] = rsqrtf(m2 / n + 1e-5f); }
  __syncthreads(); mean = part[0][0]; float r = part[1][0];
  for (int i = t; i < width; i += 256) out[(size_t)blockIdx.x * width + i] = (p[i] - mean) * r * gamma[i];
}
// Rows to eight-bit floating point with a scale a row.
extern "C" __global__ void quantize_e4m3(unsigned* out, float* scale, const float4* in, int quads) {
  __shared__ float part[4]; int t = threadIdx.x; const float4* p = in + (size_t)blockIdx.x * quads; float top = 0;
  for (int i = t; i < quads; i += 128) { float4 v = p[i]; top = fmaxf(top, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)))); }
  top = warp_max(top); if ((t & 31) == 0) part[t >> 5] = top;
  __syncthreads(); top = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3])); float f = 448.0f / top; if (t == 0) scale[blockIdx.x] = top / 448.0f;
  for (int i = t; i < quads; i += 128) {
    float4 v = p[i]; unsigned lo = __nv_cvt_float2_to_fp8x2(make_float2(v.x * f, v.y * f), __NV_SATFINITE, __NV_E4M3), hi = __nv_cvt_float2_to_fp8x2(make_float2(v.z * f, v.w * f), __NV_SATFINITE, __NV_E4M3);
    out[(size_t)blockIdx.x * quads + i] = lo | hi << 16;
  }
}
// Four-bit weights by a vector of halves: a warp a row, weights made halves by bit tricks, a scale for each 64.
extern "C" __global__ void gemv_int4(float* y, const uint4* weights, const half* scales, const uint4* x, int rows, int width) {
  int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; if (row >= rows) return; float sum = 0; const half2 k1032 = __float2half2_rn(1032.0f), sixteenth = __float2half2_rn(0.0625f), k72 = __float2half2_rn(-72.0f);
  for (int i = lane; i < width / 32; i += 32) {
    uint4 wq = weights[row * (width / 32) + i]; unsigned w[4] = {wq.x, wq.y, wq.z, wq.w}; half2 acc = __float2half2_rn(0.0f);
#pragma unroll
    for (int j = 0; j < 4; j++) {
      uint4 xq = x[i * 4 + j]; unsigned p = w[j], lo = (p & 0x000f000fu) | 0x64006400u, hi = (p & 0x00f000f0u) | 0x64006400u; p >>= 8; unsigned lo2 = (p & 0x000f000fu) | 0x64006400u, hi2 = (p & 0x00f000f0u) | 0x64006400u;
      acc = __hfma2(__hsub2(*(half2*)&lo, k1032), *(half2*)&xq.x, acc); acc = __hfma2(__hfma2(*(half2*)&hi, sixteenth, k72), *(half2*)&xq.y, acc);
      acc = __hfma2(__hsub2(*(half2*)&lo2, k1032), *(half2*)&xq.z, acc); acc = __hfma2(__hfma2(*(half2*)&hi2, sixteenth, k72), *(half2*)&xq.w, acc);
    }
    float2 f = __half22float2(acc); sum += (f.x + f.y) * __half2float(scales[row * (width / 64) + i / 2]);
  }
  sum = warp_sum(sum); if (lane == 0) y[row] = sum;
}
// Rotary embedding of bf16 pairs: angles by powf and sincosf.
extern "C" __global__ void rotary_bf16(__nv_bfloat162* x, int heads, int pairs, float base) {
  int pair = threadIdx.x, position = blockIdx.x; float angle = position * powf(base, -(float)pair / pairs), s, c; sincosf(angle, &s, &c);
  for (int h = threadIdx.y; h < heads; h += blockDim.y) { __nv_bfloat162* p = x + (position * heads + h) * pairs + pair; float2 v = __bfloat1622float2(*p); *p = __floats2bfloat162_rn(v.x * c - v.y * s, v.x * s + v.y * c); }
}
// Sums of table rows named by lists: a warp a list.
extern "C" __global__ void embedding_bag(float4* out, const float4* table, const unsigned* offsets, const unsigned* index, int bags, unsigned rows) {
  int lane = threadIdx.x & 31, b = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; if (b >= bags) return; float4 s = make_float4(0, 0, 0, 0);
  unsigned end = offsets[b + 1];
  for (unsigned k = offsets[b]; k < end; k++) { float4 v = table[(size_t)(index[k] % rows) * 32 + lane]; s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; }
  out[b * 32 + lane] = s;
}
// Depthwise three by three on pairs of channels, channels last.
extern "C" __global__ void depthwise_half2(half2* out, const half2* in, const half2* weight, int w, int h, int pairs) {
  int c = threadIdx.x, x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y; if (x >= w) return; half2 k[9], s = __float2half2_rn(0.0f);
#pragma unroll
  for (int i = 0; i < 9; i++) k[i] = weight[i * pairs + c];
#pragma unroll
  for (int j = -1; j <= 1; j++)
#pragma unroll
    for (int i = -1; i <= 1; i++) if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h) s = __hfma2(in[((y + j) * w + x + i) * pairs + c], k[(j + 1) * 3 + i + 1], s);
  out[(y * w + x) * pairs + c] = __hmax2(s, __float2half2_rn(0.0f));
}
// bf16 product, 128 x 64 x 32 tiles, four stages of cp.async, rows swizzled by xor.
__device__ __forceinline__ void multiply_bf16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void copy16(unsigned s, const void* g) { asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" :: "r"(s), "l"(g) : "memory"); }
extern "C" __global__ void __launch_bounds__(128) gemm_bf16_stages(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char raw[]; unsigned sa = shared_address(raw), sb = sa + 4 * 8192; int t = threadIdx.x, lane = t & 31, warp = t >> 5, wy = warp >> 1, wx = warp & 1, row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  float acc[4][4][4] = {}; int tiles = k / 32;
  auto fetch = [&](int tile) {
    int st = tile & 3;
#pragma unroll
    for (int i = 0; i < 4; i++) { int id = t + i * 128, r = id >> 2, q = id & 3; copy16(sa + st * 8192 + r * 64 + ((q ^ (r >> 1 & 3)) << 4), a + (size_t)(row0 + r) * k + tile * 32 + q * 8); }
#pragma unroll
    for (int i = 0; i < 2; i++) { int id = t + i * 128, r = id >> 3, q = id & 7; copy16(sb + st * 4096 + r * 128 + ((q ^ (r & 7)) << 4), b + (size_t)(tile * 32 + r) * n + col0 + q * 8); }
  };
#pragma unroll
  for (int s = 0; s < 3; s++) { fetch(s); asm volatile("cp.async.commit_group;" ::: "memory"); }
  for (int tile = 0; tile < tiles; tile++) {
    asm volatile("cp.async.wait_group 2;" ::: "memory"); __syncthreads(); if (tile + 3 < tiles) fetch(tile + 3);
    asm volatile("cp.async.commit_group;" ::: "memory"); int st = tile & 3;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) { int r = wy * 64 + i * 16 + (lane & 15), q = kk * 2 + (lane >> 4); load_matrices(fa[i], sa + st * 8192 + r * 64 + ((q ^ (r >> 1 & 3)) << 4)); }
#pragma unroll
      for (int j = 0; j < 2; j++) { int r = kk * 16 + (lane & 15), q = wx * 4 + j * 2 + (lane >> 4); load_transposed(fb[j], sb + st * 4096 + r * 128 + ((q ^ (r & 7)) << 4)); }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_bf16(acc[i][j], fa[i], fb[j >> 1][(j & 1) * 2], fb[j >> 1][(j & 1) * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int r = 0; r < 2; r++) *(__nv_bfloat162*)&c[(size_t)(row0 + wy * 64 + i * 16 + (lane >> 2) + 8 * r) * n + col0 + wx * 32 + j * 8 + (lane & 3) * 2] = __floats2bfloat162_rn(acc[i][j][2 * r], acc[i][j][2 * r + 1]);
}
// int8 product by tensor cores, 64 x 64 x 64 tiles, both factors along k.
extern "C" __global__ void gemm_s8_mma(int* c, const signed char* a, const signed char* b, int n, int k) {
  __shared__ __align__(16) signed char sa[64][80], sb[64][80]; int t = threadIdx.x, lane = t & 31, warp = t >> 5, wy = warp >> 1, wx = warp & 1, acc[2][4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 64) {
#pragma unroll
    for (int i = 0; i < 2; i++) { int id = t + i * 128, r = id >> 2, q = (id & 3) * 16; *(uint4*)&sa[r][q] = *(const uint4*)&a[(size_t)(blockIdx.y * 64 + r) * k + k0 + q]; *(uint4*)&sb[r][q] = *(const uint4*)&b[(size_t)(blockIdx.x * 64 + r) * k + k0 + q]; }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      unsigned fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) { load_matrices(fa[i], shared_address(&sa[wy * 32 + i * 16 + (lane & 15)][kk + (lane >> 4) * 16])); load_matrices(fb[i], shared_address(&sb[wx * 32 + i * 16 + (lane & 7) + (lane >> 4) * 8][kk + (lane >> 3 & 1) * 16])); }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(acc[i][j][0]), "+r"(acc[i][j][1]), "+r"(acc[i][j][2]), "+r"(acc[i][j][3]) : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j >> 1][(j & 1) * 2]), "r"(fb[j >> 1][(j & 1) * 2 + 1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int r = 0; r < 2; r++) *(int2*)&c[(size_t)(blockIdx.y * 64 + wy * 32 + i * 16 + (lane >> 2) + 8 * r) * n + blockIdx.x * 64 + wx * 32 + j * 8 + (lane & 3) * 2] = make_int2(acc[i][j][2 * r], acc[i][j][2 * r + 1]);
}
__device__ __forceinline__ void barrier_init(unsigned bar, unsigned count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory"); }
__device__ __forceinline__ void barrier_expect(unsigned bar, unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory"); }
__device__ __forceinline__ void barrier_arrive(unsigned bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory"); }
__device__ __forceinline__ void barrier_wait(unsigned bar, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}" :: "r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void tile_load(unsigned to, const CUtensorMap* map, int x, int y, unsigned bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" :: "r"(to), "l"(map), "r"(bar), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ unsigned long long swizzled(unsigned address) { return (unsigned long long)(address >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62; }  // rows of 128 bytes, eight of them 1024 bytes apart
// d += a * b: 64 x 16 of a by 16 x 128 of b, both in shared memory.
__device__ __forceinline__ void wgmma128(float (&d)[64], unsigned long long a, unsigned long long b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) : "l"(a), "l"(b));
}
// Product by wgmma: a producer warp group with tensor copies, two consumers of 64 x 128, three stages of 64 along k; b lies along k too.
extern "C" __global__ void __launch_bounds__(384, 1) gemm_wgmma_tma(float* c, const __grid_constant__ CUtensorMap am, const __grid_constant__ CUtensorMap bm, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[]; unsigned long long *full = (unsigned long long*)(tiles + 3 * 32768), *empty = full + 3; int t = threadIdx.x, group = t >> 7, steps = k / 64; unsigned base = shared_address(tiles);
  if (t == 0) { for (int s = 0; s < 3; s++) { barrier_init(shared_address(&full[s]), 1); barrier_init(shared_address(&empty[s]), 2); } asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0) for (int i = 0; i < steps; i++) {
      int s = i % 3; if (i >= 3) barrier_wait(shared_address(&empty[s]), (i / 3 - 1) & 1);
      barrier_expect(shared_address(&full[s]), 32768); tile_load(base + s * 32768, &am, i * 64, blockIdx.y * 128, shared_address(&full[s])); tile_load(base + s * 32768 + 16384, &bm, i * 64, blockIdx.x * 128, shared_address(&full[s]));
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); float d[64];
#pragma unroll
  for (int i = 0; i < 64; i++) d[i] = 0;
  for (int i = 0; i < steps; i++) {
    int s = i % 3; barrier_wait(shared_address(&full[s]), i / 3 & 1); unsigned long long da = swizzled(base + s * 32768 + (group - 1) * 8192), db = swizzled(base + s * 32768 + 16384);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int kk = 0; kk < 4; kk++) wgmma128(d, da + kk * 2, db + kk * 2);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if ((t & 127) == 0) barrier_arrive(shared_address(&empty[s]));
  }
  int lane = t & 31, row = blockIdx.y * 128 + (group - 1) * 64 + (t >> 5 & 3) * 16 + (lane >> 2), col = blockIdx.x * 128 + (lane & 3) * 2;
#pragma unroll
  for (int j = 0; j < 16; j++) { *(float2*)&c[(size_t)row * n + col + j * 8] = make_float2(d[4 * j], d[4 * j + 1]); *(float2*)&c[(size_t)(row + 8) * n + col + j * 8] = make_float2(d[4 * j + 2], d[4 * j + 3]); }
}
// Five points on tiles that tensor copies fetch with a halo of four columns (rows start at multiples of 16 bytes; zero outside) and write back: two tiles in flight.
extern "C" __global__ void stencil_tma(const __grid_constant__ CUtensorMap out, const __grid_constant__ CUtensorMap in, int tiles) {
  __shared__ __align__(128) float s[2][736], r[16][32]; __shared__ __align__(8) unsigned long long full[2]; int t = threadIdx.x, x = t & 31, y0 = t >> 5;
  if (t == 0) { barrier_init(shared_address(&full[0]), 1); barrier_init(shared_address(&full[1]), 1); asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
  __syncthreads();
  auto fetch = [&](int i) { barrier_expect(shared_address(&full[i & 1]), 18 * 40 * 4); tile_load(shared_address(s[i & 1]), &in, blockIdx.x * 32 - 4, (blockIdx.y * tiles + i) * 16 - 1, shared_address(&full[i & 1])); };
  if (t == 0) fetch(0);
  for (int i = 0; i < tiles; i++) {
    if (t == 0 && i + 1 < tiles) fetch(i + 1);
    barrier_wait(shared_address(&full[i & 1]), i >> 1 & 1); float v[4];
#pragma unroll
    for (int j = 0; j < 4; j++) { int y = y0 + j * 4; const float(*p)[40] = (const float(*)[40])s[i & 1]; v[j] = 0.6f * p[y + 1][x + 4] + 0.1f * (p[y][x + 4] + p[y + 2][x + 4] + p[y + 1][x + 3] + p[y + 1][x + 5]); }
    if (t == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; j++) r[y0 + j * 4][x] = v[j];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" :: "l"(&out), "r"(shared_address(r)), "r"(blockIdx.x * 32), "r"((blockIdx.y * tiles + i) * 16) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
void register_linear() {
  CASE("bicg_pair", "linear", bicg_pair, "rows and columns, a thread each").g(16, 2).b(128).out("q", "f32", 2048).out("s", "f32", 512).in("a", "f32", 2048 * 512, "uniform", 441).in("p", "f32", 512, "uniform", 442).in("r", "f32", 2048, "uniform", 443).i(2048).i(512);
  CASE("gram_step", "linear", gram_step, "sums in global memory").g(8).b(128).out("r", "f32", 1024 * 8).out("a", "f32", 256 * 1024, "uniform", 444).in("q", "f32", 256 * 1024, "uniform", 445).i(256).i(1024).i(3);
  CASE("correlate_triangle", "linear", correlate_triangle, "threads of unlike length").g(8).b(32).out("symmetric", "f32", 256 * 256).in("data", "f32", 32 * 256, "uniform", 446).i(256).i(32);
  CASE("syrk_global", "linear", syrk_global, "no tiles").g(4, 16).b(32, 8).out("c", "f32", 128 * 128, "uniform", 447).in("a", "f32", 128 * 96, "uniform", 448).i(128).i(96).f(1.5f).f(0.5f);
  CASE("lu_pivot_f64", "linear", lu_pivot_f64, "a warp a matrix, pivots").g(132).b(128).out("m", "f64", 528 * 256, "uniform", 449).out("pivot", "i32", 528 * 16).i(528);
  CASE("thomas_batch", "linear", thomas_batch, "a tridiagonal system a thread").g(132).b(64).out("x", "f32", 132 * 64 * 64).out("c", "f32", 132 * 64 * 64).in("a", "f32", 132 * 64 * 64, "uniform", 450).in("b", "f32", 132 * 64 * 64, "positive", 451).in("d", "f32", 132 * 64 * 64, "uniform", 452).i(132 * 64).i(64);
  CASE("fft_shuffle", "linear", fft_shuffle, "32 points through shuffles").g(200).b(160).out("data", "f32", 2 * 4000 * 32, "uniform", 453).i(4000);
  CASE("attention_decode", "linear", attention_decode, "a query, a cache of keys and values").g(264).b(128).out("out", "f32", 264 * 128).in("query", "f16", 264 * 128, "uniform", 454).in("keys", "f16", 264 * 96 * 128, "uniform", 455).in("values", "f16", 264 * 96 * 128, "uniform", 456).i(96);
  CASE("welford_norm", "linear", welford_norm, "mean and variance in one pass").g(400).b(256).out("out", "f32", 400 * 2000).in("in", "f32", 400 * 2000, "uniform", 457).in("gamma", "f32", 2000, "positive", 458).i(2000);
  CASE("quantize_e4m3", "linear", quantize_e4m3, "to eight bits, a scale a row").g(600).b(128).out("out", "u32", 600 * 512).out("scale", "f32", 600).in("in", "f32", 600 * 2048, "uniform", 459).i(512);
  CASE("gemv_int4", "linear", gemv_int4, "four-bit weights").g(256).b(256).out("y", "f32", 2048).in("weights", "u32", 2048 * 2048 / 8, "raw", 460).in("scales", "f16", 2048 * 2048 / 64, "uniform", 461).in("x", "f16", 2048, "uniform", 462).i(2048).i(2048);
  CASE("rotary_bf16", "linear", rotary_bf16, "powf, sincosf").g(300).b(64, 4).out("x", "f16", 300 * 16 * 128, "uniform", 463).i(16).i(64).f(10000.0f);
  CASE("embedding_bag", "linear", embedding_bag, "rows of a table by lists").g(512).b(256).out("out", "f32", 4096 * 128).in("table", "f32", 20000 * 128, "uniform", 464).in("offsets", "u32", 4097, "csr_rows", 465, 6).in("index", "u32", 4096 * 12, "raw", 466).i(4096).i(20000);
  CASE("depthwise_half2", "linear", depthwise_half2, "channels last").g(14, 56).b(64, 4).out("out", "f16", 56 * 56 * 128).in("in", "f16", 56 * 56 * 128, "uniform", 467).in("weight", "f16", 9 * 128, "uniform", 468).i(56).i(56).i(64);
  CASE("gemm_bf16_stages", "linear", gemm_bf16_stages, "mma, four stages of cp.async").g(12, 6).b(128).dyn(49152).out("c", "f16", 768 * 768).in("a", "f16", 768 * 512, "uniform", 469).in("b", "f16", 512 * 768, "uniform", 470).i(768).i(768).i(512);
  CASE("gemm_s8_mma", "linear", gemm_s8_mma, "int8 by tensor cores").g(10, 8).b(128).out("c", "i32", 512 * 640).in("a", "u8", 512 * 1024, "raw", 471).in("b", "u8", 640 * 1024, "raw", 472).i(640).i(1024);
  CASE("gemm_wgmma_tma", "linear", gemm_wgmma_tma, "wgmma, tensor copies, three stages").g(6, 6).b(384).dyn(98304 + 64).out("c", "f32", 768 * 768).tma("a", "f16", 512, 768, 64, 128, 128, "uniform", 473).tma("b", "f16", 512, 768, 64, 128, 128, "uniform", 474).i(768).i(512);
  CASE("stencil_tma", "linear", stencil_tma, "tensor copies with halo, and back").g(20, 10).b(128).tma("out", "f32", 640, 480, 32, 16, 0, "zero", 1, true).tma("in", "f32", 640, 480, 40, 18, 0, "uniform", 475).i(3);
}
void register_grids(); void register_data();
void register_benchmarks() { register_grids(); register_data(); register_linear(); }
