// SPDX-License-Identifier: Apache-2.0
// Fourth held-out set, networks: matrix products in five types, attention, norms, losses, optimisers, convolutions. See README.md.
#include "../harness.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

__device__ __forceinline__ unsigned shared_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void copy16(void* to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_of(to)), "l"(from) : "memory"); }
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait_all_but() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_of(p)));
}
__device__ __forceinline__ void ldsm4t(unsigned (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_of(p)));
}
__device__ __forceinline__ void mma_f16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// 128 x 64 tiles of halves, k by 32, three stages of cp.async, places exchanged by exclusive or instead of padding.
extern "C" __global__ void __launch_bounds__(128) gemm_f16_swizzle(half* c, const half* a, const half* b, int m, int n, int k) {
  extern __shared__ __align__(128) half tiles[];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  auto place_a = [&](int s, int r, int q) { return tiles + s * 6144 + r * 32 + ((q ^ (r >> 1 & 3)) * 8); };
  auto place_b = [&](int s, int r, int q) { return tiles + s * 6144 + 4096 + r * 64 + ((q ^ (r & 7)) * 8); };
  auto fetch = [&](int s, int k0) {
#pragma unroll
    for (int i = 0; i < 4; i++) { int id = t + i * 128, r = id >> 2, q = id & 3; copy16(place_a(s, r, q), a + (size_t)(row0 + r) * k + k0 + q * 8); }
#pragma unroll
    for (int i = 0; i < 2; i++) { int id = t + i * 128, r = id >> 3, q = id & 7; copy16(place_b(s, r, q), b + (size_t)(k0 + r) * n + col0 + q * 8); }
  };
  float acc[2][8][4] = {};
  fetch(0, 0); commit(); fetch(1, 32); commit();
  int steps = k / 32;
  for (int i = 0; i < steps; i++) {
    wait_all_but<1>(); __syncthreads();
    if (i + 2 < steps) fetch((i + 2) % 3, (i + 2) * 32);
    commit();
    int s = i % 3;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      unsigned fa[2][4], fb[4][4];
#pragma unroll
      for (int x = 0; x < 2; x++) ldsm4(fa[x], place_a(s, warp * 32 + x * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
      for (int x = 0; x < 4; x++) ldsm4t(fb[x], place_b(s, kk * 16 + (lane & 15), x * 2 + (lane >> 4)));
#pragma unroll
      for (int x = 0; x < 2; x++)
#pragma unroll
        for (int y = 0; y < 8; y++) mma_f16(acc[x][y], fa[x], fb[y >> 1][(y & 1) * 2], fb[y >> 1][(y & 1) * 2 + 1]);
    }
  }
#pragma unroll
  for (int x = 0; x < 2; x++)
#pragma unroll
    for (int y = 0; y < 8; y++)
#pragma unroll
      for (int r = 0; r < 2; r++) *(half2*)&c[(size_t)(row0 + warp * 32 + x * 16 + (lane >> 2) + r * 8) * n + col0 + y * 8 + (lane & 3) * 2] = __floats2half2_rn(acc[x][y][2 * r], acc[x][y][2 * r + 1]);
}
// tf32 by m16n8k8, 64 x 64 tiles, k by 16, two stages, padded rows.
extern "C" __global__ void __launch_bounds__(128) gemm_tf32_pad(float* c, const float* a, const float* b, int n, int k) {
  __shared__ __align__(16) float sa[2][64][20], sb[2][16][72];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, wy = warp >> 1, wx = warp & 1, g = lane >> 2, q = lane & 3, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  auto fetch = [&](int s, int k0) {
#pragma unroll
    for (int i = 0; i < 2; i++) { int id = t + i * 128; copy16(&sa[s][id >> 2][(id & 3) * 4], a + (row0 + (id >> 2)) * k + k0 + (id & 3) * 4); copy16(&sb[s][id >> 4][(id & 15) * 4], b + (k0 + (id >> 4)) * n + col0 + (id & 15) * 4); }
    commit();
  };
  auto tf32 = [](float v) { unsigned r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v)); return r; };
  float acc[2][4][4] = {};
  fetch(0, 0);
  for (int k0 = 0; k0 < k; k0 += 16) {
    int s = k0 >> 4 & 1;
    if (k0 + 16 < k) { fetch(s ^ 1, k0 + 16); wait_all_but<1>(); } else wait_all_but<0>();
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk += 8) {
      unsigned fa[2][4], fb[4][2];
#pragma unroll
      for (int x = 0; x < 2; x++) { int r = wy * 32 + x * 16 + g; fa[x][0] = tf32(sa[s][r][kk + q]); fa[x][1] = tf32(sa[s][r + 8][kk + q]); fa[x][2] = tf32(sa[s][r][kk + q + 4]); fa[x][3] = tf32(sa[s][r + 8][kk + q + 4]); }
#pragma unroll
      for (int y = 0; y < 4; y++) { int col = wx * 32 + y * 8 + g; fb[y][0] = tf32(sb[s][kk + q][col]); fb[y][1] = tf32(sb[s][kk + q + 4][col]); }
#pragma unroll
      for (int x = 0; x < 2; x++)
#pragma unroll
        for (int y = 0; y < 4; y++)
          asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[x][y][0]), "+f"(acc[x][y][1]), "+f"(acc[x][y][2]), "+f"(acc[x][y][3]) : "r"(fa[x][0]), "r"(fa[x][1]), "r"(fa[x][2]), "r"(fa[x][3]), "r"(fb[y][0]), "r"(fb[y][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int x = 0; x < 2; x++)
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
      for (int r = 0; r < 2; r++) *(float2*)&c[(row0 + wy * 32 + x * 16 + g + r * 8) * n + col0 + wx * 32 + y * 8 + q * 2] = make_float2(acc[x][y][2 * r], acc[x][y][2 * r + 1]);
}
// Doubles by tensor cores through nvcuda::wmma.
extern "C" __global__ void __launch_bounds__(128) gemm_f64_wmma(double* c, const double* a, const double* b, int n, int k) {
  using namespace nvcuda;
  int warp = threadIdx.x >> 5, row = (blockIdx.y * 2 + (warp >> 1)) * 16, col = (blockIdx.x * 2 + (warp & 1)) * 16;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> acc[2][2];
  for (auto& r : acc) for (auto& f : r) wmma::fill_fragment(f, 0.0);
  for (int k0 = 0; k0 < k; k0 += 4) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa[2];
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb[2];
    for (int i = 0; i < 2; i++) { wmma::load_matrix_sync(fa[i], a + (row + i * 8) * k + k0, k); wmma::load_matrix_sync(fb[i], b + k0 * n + col + i * 8, n); }
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
  }
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) wmma::store_matrix_sync(c + (row + i * 8) * n + col + j * 8, acc[i][j], n, wmma::mem_row_major);
}
// int8 with two stages of cp.async and an epilogue that scales to bytes again.
extern "C" __global__ void __launch_bounds__(128) gemm_s8_requant(signed char* c, const signed char* a, const signed char* b, const float* scale, int n, int k) {
  __shared__ __align__(16) signed char sa[2][64][80], sb[2][64][80];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, acc[8][4] = {};
  auto fetch = [&](int s, int k0) {
#pragma unroll
    for (int i = 0; i < 2; i++) { int id = t + i * 128, r = id >> 2, q = (id & 3) * 16; copy16(&sa[s][r][q], a + (blockIdx.y * 64 + r) * k + k0 + q); copy16(&sb[s][r][q], b + (blockIdx.x * 64 + r) * k + k0 + q); }
    commit();
  };
  fetch(0, 0);
  int steps = k >> 6;
  for (int i = 0; i < steps; i++) {
    if (i + 1 < steps) fetch(i + 1 & 1, (i + 1) * 64); else commit();
    wait_all_but<1>(); __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 64; kk += 32) {
      unsigned fa[4], fb[4][4];
      ldsm4(fa, &sa[i & 1][warp * 16 + (lane & 15)][kk + (lane >> 4) * 16]);
#pragma unroll
      for (int y = 0; y < 4; y++) ldsm4(fb[y], &sb[i & 1][y * 16 + (lane & 7) + (lane >> 4) * 8][kk + (lane >> 3 & 1) * 16]);
#pragma unroll
      for (int y = 0; y < 8; y++)
        asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(acc[y][0]), "+r"(acc[y][1]), "+r"(acc[y][2]), "+r"(acc[y][3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[y >> 1][(y & 1) * 2]), "r"(fb[y >> 1][(y & 1) * 2 + 1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < 8; y++) {
    int col = blockIdx.x * 64 + y * 8 + (lane & 3) * 2; float s0 = scale[col], s1 = scale[col + 1];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      int v0 = max(-128, min(127, __float2int_rn(acc[y][2 * r] * s0))), v1 = max(-128, min(127, __float2int_rn(acc[y][2 * r + 1] * s1)));
      *(char2*)&c[(blockIdx.y * 64 + warp * 16 + (lane >> 2) + r * 8) * n + col] = make_char2(v0, v1);
    }
  }
}
// Attention by tiles: 64 queries a block, keys and values by 32, scores and weights stay in registers.
extern "C" __global__ void __launch_bounds__(128) flash_tile(half* out, const half* q, const half* k, const half* v, int length, float scale) {
  __shared__ __align__(16) half sq[64][72], sk[2][32][72], sv[2][32][72];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  size_t base = (size_t)blockIdx.y * length * 64;
  for (int i = t; i < 512; i += 128) copy16(&sq[i >> 3][(i & 7) * 8], q + base + (blockIdx.x * 64 + (i >> 3)) * 64 + (i & 7) * 8);
  auto fetch = [&](int s, int at) {
#pragma unroll
    for (int i = 0; i < 2; i++) { int id = t + i * 128, r = id >> 3, x = (id & 7) * 8; copy16(&sk[s][r][x], k + base + (at + r) * 64 + x); copy16(&sv[s][r][x], v + base + (at + r) * 64 + x); }
    commit();
  };
  fetch(0, 0);
  float o[8][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
  unsigned fq[4][4];
  for (int at = 0; at < length; at += 32) {
    int s = at >> 5 & 1;
    if (at + 32 < length) { fetch(s ^ 1, at + 32); wait_all_but<1>(); } else wait_all_but<0>();
    __syncthreads();
    if (at == 0) for (int x = 0; x < 4; x++) ldsm4(fq[x], &sq[warp * 16 + (lane & 15)][x * 16 + (lane >> 4) * 8]);
    float p[4][4] = {};
#pragma unroll
    for (int x = 0; x < 4; x++)
#pragma unroll
      for (int y = 0; y < 2; y++) {
        unsigned fk[4]; ldsm4(fk, &sk[s][y * 16 + (lane & 7) + (lane >> 4) * 8][x * 16 + (lane >> 3 & 1) * 8]);
        mma_f16(p[y * 2], fq[x], fk[0], fk[1]); mma_f16(p[y * 2 + 1], fq[x], fk[2], fk[3]);
      }
    unsigned fp[4][2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float m = top[r];
#pragma unroll
      for (int y = 0; y < 4; y++) m = fmaxf(m, fmaxf(p[y][2 * r], p[y][2 * r + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1)); m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float f = exp2f((top[r] - m) * scale); top[r] = m; sum[r] *= f;
#pragma unroll
      for (int y = 0; y < 8; y++) { o[y][2 * r] *= f; o[y][2 * r + 1] *= f; }
#pragma unroll
      for (int y = 0; y < 4; y++) {
        float e0 = exp2f(p[y][2 * r] * scale - m * scale), e1 = exp2f(p[y][2 * r + 1] * scale - m * scale); sum[r] += e0 + e1;
        half2 h = __floats2half2_rn(e0, e1); fp[y][r] = *(unsigned*)&h;
      }
    }
#pragma unroll
    for (int x = 0; x < 2; x++) {
      unsigned fa[4] = {fp[2 * x][0], fp[2 * x][1], fp[2 * x + 1][0], fp[2 * x + 1][1]};
#pragma unroll
      for (int y = 0; y < 4; y++) {
        unsigned fv[4]; ldsm4t(fv, &sv[s][x * 16 + (lane & 15)][y * 16 + (lane >> 4) * 8]);
        mma_f16(o[y * 2], fa, fv[0], fv[1]); mma_f16(o[y * 2 + 1], fa, fv[2], fv[3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 2; r++) {
    float all = sum[r]; all += __shfl_xor_sync(~0u, all, 1); all += __shfl_xor_sync(~0u, all, 2); float f = __fdividef(1.0f, all);
#pragma unroll
    for (int y = 0; y < 8; y++) *(half2*)&out[base + (blockIdx.x * 64 + warp * 16 + (lane >> 2) + r * 8) * 64 + y * 8 + (lane & 3) * 2] = __floats2half2_rn(o[y][2 * r] * f, o[y][2 * r + 1] * f);
  }
}
// The residual is added, then RMS norm: bf16 in 16-byte pieces, the row stays in registers.
extern "C" __global__ void __launch_bounds__(256) rmsnorm_residual(__nv_bfloat162* out, __nv_bfloat162* residual, const __nv_bfloat162* in, const __nv_bfloat162* gamma, int pieces) {
  __shared__ float part[8];
  int t = threadIdx.x; size_t at = (size_t)blockIdx.x * pieces; float sum = 0, v[2][8];
#pragma unroll
  for (int j = 0; j < 2; j++) if (int i = t + j * 256; i < pieces) {
    uint4 a = ((const uint4*)in)[at + i], b = ((uint4*)residual)[at + i]; __nv_bfloat162 *x = (__nv_bfloat162*)&a, *y = (__nv_bfloat162*)&b;
#pragma unroll
    for (int k = 0; k < 4; k++) { y[k] = __hadd2(x[k], y[k]); float2 f = __bfloat1622float2(y[k]); v[j][2 * k] = f.x; v[j][2 * k + 1] = f.y; sum += f.x * f.x + f.y * f.y; }
    ((uint4*)residual)[at + i] = b;
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if ((t & 31) == 0) part[t >> 5] = sum;
  __syncthreads();
  sum = t < 8 ? part[t] : 0; if (t < 32) { for (int o = 4; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o); if (t == 0) part[0] = rsqrtf(sum / (8 * pieces) + 1e-5f); }
  __syncthreads();
  float r = part[0];
#pragma unroll
  for (int j = 0; j < 2; j++) if (int i = t + j * 256; i < pieces) {
    uint4 g = __ldg((const uint4*)gamma + i); __nv_bfloat162* x = (__nv_bfloat162*)&g;
#pragma unroll
    for (int k = 0; k < 4; k++) { float2 f = __bfloat1622float2(x[k]); x[k] = __floats2bfloat162_rn(v[j][2 * k] * r * f.x, v[j][2 * k + 1] * r * f.y); }
    ((uint4*)out)[at + i] = g;
  }
}
// The gradients of a norm's scale and shift: columns of a tall matrix, 32 x 8 threads.
extern "C" __global__ void layernorm_backward(float* dgamma, float* dbeta, const float* dy, const float* x, const float* mean, const float* rstd, int rows, int width) {
  __shared__ float s[2][8][33];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx; float g = 0, b = 0;
  for (int r = ty; r < rows; r += 8) { float d = dy[r * width + col]; b += d; g += d * (x[r * width + col] - mean[r]) * rstd[r]; }
  s[0][ty][tx] = g; s[1][ty][tx] = b;
  __syncthreads();
  for (int h = 4; h; h >>= 1) { if (ty < h) { s[0][ty][tx] += s[0][ty + h][tx]; s[1][ty][tx] += s[1][ty + h][tx]; } __syncthreads(); }
  if (ty == 0) { dgamma[col] = s[0][0][tx]; dbeta[col] = s[1][0][tx]; }
}
// Loss of a row of logits and its gradient in one kernel: online softmax, then a second pass.
extern "C" __global__ void __launch_bounds__(256) cross_entropy(float* loss, float* grad, const float* logits, const int* target, int classes) {
  __shared__ float top[8], part[8];
  int t = threadIdx.x; const float4* p = (const float4*)(logits + (size_t)blockIdx.x * classes); float m = -INFINITY, sum = 0;
  for (int i = t; i < classes / 4; i += 256) {
    float4 v = p[i]; float next = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), m);
    sum = sum * __expf(m - next) + __expf(v.x - next) + __expf(v.y - next) + __expf(v.z - next) + __expf(v.w - next); m = next;
  }
  for (int o = 16; o; o >>= 1) { float m2 = __shfl_xor_sync(~0u, m, o), s2 = __shfl_xor_sync(~0u, sum, o), next = fmaxf(m, m2); sum = sum * __expf(m - next) + s2 * __expf(m2 - next); m = next; }
  if ((t & 31) == 0) { top[t >> 5] = m; part[t >> 5] = sum; }
  __syncthreads();
  m = top[0]; for (int w = 1; w < 8; w++) m = fmaxf(m, top[w]);
  sum = 0; for (int w = 0; w < 8; w++) sum += part[w] * __expf(top[w] - m);
  int label = target[blockIdx.x]; float inv = 1.0f / sum; float4* q = (float4*)(grad + (size_t)blockIdx.x * classes);
  for (int i = t; i < classes / 4; i += 256) {
    float4 v = p[i]; v.x = __expf(v.x - m) * inv - (4 * i == label); v.y = __expf(v.y - m) * inv - (4 * i + 1 == label); v.z = __expf(v.z - m) * inv - (4 * i + 2 == label); v.w = __expf(v.w - m) * inv - (4 * i + 3 == label);
    q[i] = v;
  }
  if (t == 0) loss[blockIdx.x] = logf(sum) + m - logits[(size_t)blockIdx.x * classes + label];
}
// A gate and a value: silu in halves, two at a time.
extern "C" __global__ void swiglu_half2(half2* out, const half2* gate, const half2* up, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    half2 g = gate[i]; out[i] = __hmul2(__hmul2(g, h2rcp(__hadd2(__float2half2_rn(1.0f), h2exp(__hneg2(g))))), up[i]);
  }
}
// One step of Adam, four parameters a thread.
extern "C" __global__ void adam_step(float4* p, float4* m, float4* v, const float4* g, int n, float lr, float b1, float b2, float c1, float c2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  float4 P = p[i], M = m[i], V = v[i], G = g[i];
  auto one = [&](float& w, float& a, float& b, float d) { a = b1 * a + (1 - b1) * d; b = b2 * b + (1 - b2) * d * d; w -= lr * ((a / c1) / (sqrtf(b / c2) + 1e-8f) + 0.01f * w); };
  one(P.x, M.x, V.x, G.x); one(P.y, M.y, V.y, G.y); one(P.z, M.z, V.z, G.z); one(P.w, M.w, V.w, G.w);
  p[i] = P; m[i] = M; v[i] = V;
}
// 3 x 3 convolution of planes: a halo tile of four channels a turn in shared memory, eight outputs a thread.
extern "C" __global__ void __launch_bounds__(256) conv3x3_halo(float* out, const float* in, const float* weight, int channels, int size) {
  __shared__ float s[4][18][18], w[4][9][8];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, x0 = blockIdx.x * 16, y0 = blockIdx.y * 16, k0 = blockIdx.z * 8; float acc[8] = {};
  for (int c0 = 0; c0 < channels; c0 += 4) {
    for (int i = t; i < 4 * 324; i += 256) { int c = i / 324, r = i % 324, y = y0 + r / 18 - 1, x = x0 + r % 18 - 1; s[c][r / 18][r % 18] = x >= 0 && y >= 0 && x < size && y < size ? in[((c0 + c) * size + y) * size + x] : 0.0f; }
    for (int i = t; i < 288; i += 256) w[i / 72][i % 9][i / 9 % 8] = weight[((k0 + i / 9 % 8) * channels + c0 + i / 72) * 9 + i % 9];
    __syncthreads();
#pragma unroll
    for (int c = 0; c < 4; c++)
#pragma unroll
      for (int j = 0; j < 9; j++) {
        float v = s[c][ty + j / 3][tx + j % 3];
#pragma unroll
        for (int k = 0; k < 8; k++) acc[k] += v * w[c][j][k];
      }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < 8; k++) out[((k0 + k) * size + y0 + ty) * size + x0 + tx] = fmaxf(acc[k], 0.0f);
}
// The two best of 64 experts for each token: a warp a token.
extern "C" __global__ void moe_top2(int2* expert, float2* weight, const float* logits, int tokens) {
  int token = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31; if (token >= tokens) return;
  float2 v = ((const float2*)(logits + token * 64))[lane]; float best[2]; int who[2];
#pragma unroll
  for (int k = 0; k < 2; k++) {
    float m = fmaxf(v.x, v.y); int at = 2 * lane + (v.y > v.x);
    for (int o = 16; o; o >>= 1) { float m2 = __shfl_xor_sync(~0u, m, o); int at2 = __shfl_xor_sync(~0u, at, o); if (m2 > m || (m2 == m && at2 < at)) { m = m2; at = at2; } }
    best[k] = m; who[k] = at; if (at >> 1 == lane) { if (at & 1) v.y = -INFINITY; else v.x = -INFINITY; }
  }
  if (lane == 0) { float e = expf(best[1] - best[0]); expert[token] = make_int2(who[0], who[1]); weight[token] = make_float2(1 / (1 + e), e / (1 + e)); }
}
// 3 x 3 maxima with stride two, channels last, eight halves a thread.
extern "C" __global__ void maxpool_nhwc(uint4* out, const uint4* in, int h, int w, int c8) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, oh = (h + 1) / 2, ow = (w + 1) / 2; if (i >= oh * ow * c8) return;
  int c = i % c8, x = i / c8 % ow, y = i / c8 / ow; half2 best[4]; for (auto& b : best) b = __float2half2_rn(-65504.0f);
  for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
    int yy = 2 * y + dy, xx = 2 * x + dx; if (yy < 0 || xx < 0 || yy >= h || xx >= w) continue;
    uint4 q = __ldg(&in[(yy * w + xx) * c8 + c]); const half2* v = (const half2*)&q;
#pragma unroll
    for (int k = 0; k < 4; k++) best[k] = __hmax2(best[k], v[k]);
  }
  out[i] = *(uint4*)best;
}
void register_networks() {
  CASE("gemm_f16_swizzle", "networks", gemm_f16_swizzle, "mma, three stages, swizzled").g(10, 8).b(128).dyn(36864).out("c", "f16", 1024 * 640).in("a", "f16", 1024 * 512, "uniform", 620).in("b", "f16", 512 * 640, "uniform", 621).i(1024).i(640).i(512);
  CASE("gemm_tf32_pad", "networks", gemm_tf32_pad, "tf32, two stages").g(10, 9).b(128).out("c", "f32", 576 * 640).in("a", "f32", 576 * 256, "uniform", 622).in("b", "f32", 256 * 640, "uniform", 623).i(640).i(256);
  CASE("gemm_f64_wmma", "networks", gemm_f64_wmma, "doubles by tensor cores").g(12, 11).b(128).out("c", "f64", 352 * 384).in("a", "f64", 352 * 128, "uniform", 624).in("b", "f64", 128 * 384, "uniform", 625).i(384).i(128);
  CASE("gemm_s8_requant", "networks", gemm_s8_requant, "int8, two stages, bytes out").g(10, 12).b(128).out("c", "u8", 768 * 640).in("a", "u8", 768 * 512, "raw", 626).in("b", "u8", 640 * 512, "raw", 627).in("scale", "f32", 640, "uniform", 628).i(640).i(512);
  CASE("flash_tile", "networks", flash_tile, "attention by tiles").g(6, 24).b(128).out("out", "f16", 24 * 384 * 64).in("q", "f16", 24 * 384 * 64, "uniform", 629).in("k", "f16", 24 * 384 * 64, "uniform", 630).in("v", "f16", 24 * 384 * 64, "uniform", 631).i(384).f(0.18033688f);
  CASE("rmsnorm_residual", "networks", rmsnorm_residual, "bf16, row in registers").g(500).b(256).out("out", "f16", 500 * 3072).out("residual", "f16", 500 * 3072, "uniform", 632).in("in", "f16", 500 * 3072, "uniform", 633).in("gamma", "f16", 3072, "uniform", 634).i(384);
  CASE("layernorm_backward", "networks", layernorm_backward, "columns of a tall matrix").g(48).b(32, 8).out("dgamma", "f32", 1536).out("dbeta", "f32", 1536).in("dy", "f32", 400 * 1536, "uniform", 635).in("x", "f32", 400 * 1536, "uniform", 636).in("mean", "f32", 400, "uniform", 637).in("rstd", "f32", 400, "positive", 638).i(400).i(1536);
  CASE("cross_entropy", "networks", cross_entropy, "online softmax, gradient").g(150).b(256).out("loss", "f32", 150).out("grad", "f32", 150 * 8000).in("logits", "f32", 150 * 8000, "uniform", 639).in("target", "u32", 150, "range", 640, 8000).i(8000);
  CASE("swiglu_half2", "networks", swiglu_half2, "halves by twos").g(264).b(256).out("out", "f16", 600000).in("gate", "f16", 600000, "uniform", 641).in("up", "f16", 600000, "uniform", 642).i(300000);
  CASE("adam_step", "networks", adam_step, "four arrays").g(500).b(256).out("p", "f32", 500000, "uniform", 643).out("m", "f32", 500000, "uniform", 644).out("v", "f32", 500000, "positive", 645).in("g", "f32", 500000, "uniform", 646).i(125000).f(0.001f).f(0.9f).f(0.999f).f(0.19f).f(0.002f);
  CASE("conv3x3_halo", "networks", conv3x3_halo, "tile with halo, eight outputs").g(4, 4, 8).b(16, 16).out("out", "f32", 64 * 64 * 64).in("in", "f32", 32 * 64 * 64, "uniform", 647).in("weight", "f32", 64 * 32 * 9, "uniform", 648).i(32).i(64);
  CASE("moe_top2", "networks", moe_top2, "two best of 64").g(500).b(160).out("expert", "i32", 5000).out("weight", "f32", 5000).in("logits", "f32", 2500 * 64, "uniform", 649).i(2497);
  CASE("maxpool_nhwc", "networks", maxpool_nhwc, "neighbours with bounds").g(221).b(256).out("out", "f16", 56 * 56 * 144).in("in", "f16", 111 * 111 * 144, "uniform", 650).i(111).i(111).i(18);
}
