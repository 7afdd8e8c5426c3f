// SPDX-License-Identifier: Apache-2.0
// Second held-out set, dense: tiles, normalisations, matrix products, transforms. See README.md.
#include "../harness.cuh"
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__device__ __forceinline__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ float warp_sum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }
__device__ __forceinline__ void load_matrices(unsigned (&r)[4], unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void load_transposed(unsigned (&r)[4], unsigned a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ unsigned pack(float a, float b) { half2 h = __floats2half2_rn(a, b); return *(unsigned*)&h; }

__constant__ float kConv[49] = {
    .01f, .02f, .03f, .04f, .03f, .02f, .01f, .02f, .03f, .05f, .06f, .05f, .03f, .02f, .03f, .05f, .07f, .09f, .07f, .05f, .03f, .04f, .06f, .09f, .12f,
    .09f, .06f, .04f, .03f, .05f, .07f, .09f, .07f, .05f, .03f, .02f, .03f, .05f, .06f, .05f, .03f, .02f, .01f, .02f, .03f, .04f, .03f, .02f, .01f};
extern "C" __global__ void conv7_const(float* out, const float* in, int w, int h) {  // weights in constant memory, halo in shared memory
  __shared__ float t[22][38]; int x0 = blockIdx.x * 32 - 3, y0 = blockIdx.y * 16 - 3, tx = threadIdx.x, ty = threadIdx.y;
  for (int y = ty; y < 22; y += 16)
    for (int x = tx; x < 38; x += 32) t[y][x] = in[min(max(y0 + y, 0), h - 1) * w + min(max(x0 + x, 0), w - 1)];
  __syncthreads(); float s = 0;
#pragma unroll
  for (int j = 0; j < 7; j++)
#pragma unroll
    for (int i = 0; i < 7; i++) s = fmaf(t[ty + j][tx + i], kConv[j * 7 + i], s);
  out[(y0 + 3 + ty) * w + x0 + 3 + tx] = s;
}
extern "C" __global__ void cholesky_warp(float* m, int n) {  // a warp a 16 x 16 matrix, a row a lane in registers, shuffles
  int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; if (w >= n) return;
  float a[16]; float* g = m + w * 256 + (lane & 15) * 16;
#pragma unroll
  for (int j = 0; j < 16; j++) a[j] = g[j] + (j == (lane & 15) ? 20.0f : 0.0f);
#pragma unroll
  for (int k = 0; k < 16; k++) {
    float d = rsqrtf(__shfl_sync(~0u, a[k], k)); a[k] *= d;
#pragma unroll
    for (int j = k + 1; j < 16; j++) a[j] -= a[k] * __shfl_sync(~0u, a[k], j);
  }
  if (lane < 16)
#pragma unroll
    for (int j = 0; j < 16; j++) g[j] = j <= lane ? a[j] : 0.0f;
}
__device__ __forceinline__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ void pair(float2& a, float2& b) { float2 t = a; a = make_float2(t.x + b.x, t.y + b.y); b = make_float2(t.x - b.x, t.y - b.y); }
__device__ __forceinline__ void fft8(float2 (&v)[8]) {
  const float h = 0.70710678f;
  for (int i = 0; i < 4; i++) pair(v[i], v[i + 4]);
  v[5] = cmul(v[5], make_float2(h, -h)); v[6] = make_float2(v[6].y, -v[6].x); v[7] = cmul(v[7], make_float2(-h, -h));
  for (int i = 0; i < 8; i += 4) { pair(v[i], v[i + 2]); pair(v[i + 1], v[i + 3]); v[i + 3] = make_float2(v[i + 3].y, -v[i + 3].x); pair(v[i], v[i + 1]); pair(v[i + 2], v[i + 3]); }
}
extern "C" __global__ void fft512(float2* data) {  // three passes of radix 8, exchanges through shared memory
  __shared__ float sx[8 * 72], sy[8 * 72]; int t = threadIdx.x; float2 v[8]; float2* g = data + blockIdx.x * 512;
  const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = g[t + 64 * i];
#pragma unroll
  for (int pass = 0; pass < 3; pass++) {
    fft8(v); if (pass == 2) break;
    int j = pass == 0 ? t : t & 7; float step = -6.2831853f / (pass == 0 ? 512 : 64);
#pragma unroll
    for (int i = 1; i < 8; i++) { float s, c; __sincosf(step * (j * order[i]), &s, &c); v[i] = cmul(v[i], make_float2(c, s)); }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) { int p = pass == 0 ? order[i] * 66 + t : (t >> 3) * 66 + order[i] * 8 + (t & 7); sx[p] = v[i].x; sy[p] = v[i].y; }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) { int p = pass == 0 ? (t >> 3) * 66 + i * 8 + (t & 7) : (t >> 3) * 66 + (t & 7) * 8 + i; v[i] = make_float2(sx[p], sy[p]); }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) g[t + 64 * order[i]] = v[i];
}
extern "C" __global__ void layernorm_half2(half2* out, const half2* in, const half2* gamma, const half2* beta) {  // a block a row of 1024
  __shared__ float part[2][4]; int t = threadIdx.x, warp = t >> 5; uint4 q = ((const uint4*)in)[blockIdx.x * 128 + t]; half2* h = (half2*)&q;
  float s = 0, v = 0; float2 f[4];
#pragma unroll
  for (int i = 0; i < 4; i++) { f[i] = __half22float2(h[i]); s += f[i].x + f[i].y; }
  s = warp_sum(s); if ((t & 31) == 0) part[0][warp] = s; __syncthreads();
  float mean = (part[0][0] + part[0][1] + part[0][2] + part[0][3]) * (1.0f / 1024);
#pragma unroll
  for (int i = 0; i < 4; i++) { f[i].x -= mean; f[i].y -= mean; v += f[i].x * f[i].x + f[i].y * f[i].y; }
  v = warp_sum(v); if ((t & 31) == 0) part[1][warp] = v; __syncthreads();
  float r = rsqrtf((part[1][0] + part[1][1] + part[1][2] + part[1][3]) * (1.0f / 1024) + 1e-5f);
  uint4 ga = ((const uint4*)gamma)[t], be = ((const uint4*)beta)[t];
#pragma unroll
  for (int i = 0; i < 4; i++) h[i] = __hfma2(__floats2half2_rn(f[i].x * r, f[i].y * r), ((half2*)&ga)[i], ((half2*)&be)[i]);
  ((uint4*)out)[blockIdx.x * 128 + t] = q;
}
extern "C" __global__ void gelu_half2(half2* out, const half2* in, const half2* bias, int n, int width) {  // bias and GELU, hyperbolic tangent of two halves
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    half2 x = __hadd2(in[i], bias[i % width]), u = __hmul2(x, __hfma2(__hmul2(x, x), __float2half2_rn(0.035677f), __float2half2_rn(0.797885f))); unsigned w;
    asm("tanh.approx.f16x2 %0, %1;" : "=r"(w) : "r"(*(unsigned*)&u));
    out[i] = __hmul2(__hmul2(x, __float2half2_rn(0.5f)), __hadd2(*(half2*)&w, __float2half2_rn(1.0f)));
  }
}
extern "C" __global__ void rmsnorm_bf16(__nv_bfloat162* out, const float* in, const float* weight, int n) {  // a warp a row of 768
  int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; if (row >= n) return;
  const float4* p = (const float4*)(in + row * 768); float4 v[6]; float s = 0;
#pragma unroll
  for (int i = 0; i < 6; i++) { v[i] = p[lane + 32 * i]; s += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w; }
  float r = rsqrtf(warp_sum(s) * (1.0f / 768) + 1e-6f);
#pragma unroll
  for (int i = 0; i < 6; i++) {
    float4 w = ((const float4*)weight)[lane + 32 * i]; __nv_bfloat162* o = out + row * 384 + (lane + 32 * i) * 2;
    o[0] = __floats2bfloat162_rn(v[i].x * r * w.x, v[i].y * r * w.y); o[1] = __floats2bfloat162_rn(v[i].z * r * w.z, v[i].w * r * w.w);
  }
}
extern "C" __global__ void attention_mma(half* out, const half* q, const half* k, const half* v, int length) {  // online softmax, 64 x 64 tiles
  __shared__ __align__(16) half sq[64][72], sk[64][72], sv[64][72]; int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  size_t base = (size_t)blockIdx.y * length * 64; unsigned qf[4][4]; float o[8][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {};
  for (int i = t; i < 512; i += 128) *(uint4*)&sq[i >> 3][(i & 7) * 8] = *(const uint4*)(q + base + (blockIdx.x * 64 + (i >> 3)) * 64 + (i & 7) * 8);
  __syncthreads();
#pragma unroll
  for (int c = 0; c < 4; c++) load_matrices(qf[c], shared_address(&sq[warp * 16 + (lane & 15)][c * 16 + (lane >> 4) * 8]));
  for (int tile = 0; tile < length; tile += 64) {
    __syncthreads();
    for (int i = t; i < 512; i += 128) { size_t g = base + (tile + (i >> 3)) * 64 + (i & 7) * 8; *(uint4*)&sk[i >> 3][(i & 7) * 8] = *(const uint4*)(k + g); *(uint4*)&sv[i >> 3][(i & 7) * 8] = *(const uint4*)(v + g); }
    __syncthreads(); float s[8][4] = {};
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int c = 0; c < 2; c++) { unsigned b[4]; load_matrices(b, shared_address(&sk[j * 8 + (lane & 7)][c * 32 + (lane >> 3) * 8])); multiply(s[j], qf[2 * c], b[0], b[1]); multiply(s[j], qf[2 * c + 1], b[2], b[3]); }
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float m = top[r];
#pragma unroll
      for (int j = 0; j < 8; j++) m = fmaxf(m, fmaxf(s[j][2 * r], s[j][2 * r + 1]) * 0.18033688f);
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1)); m = fmaxf(m, __shfl_xor_sync(~0u, m, 2)); float old = exp2f(top[r] - m), add = 0; top[r] = m;
#pragma unroll
      for (int j = 0; j < 8; j++) {
        s[j][2 * r] = exp2f(fmaf(s[j][2 * r], 0.18033688f, -m)); s[j][2 * r + 1] = exp2f(fmaf(s[j][2 * r + 1], 0.18033688f, -m)); add += s[j][2 * r] + s[j][2 * r + 1];
        o[j][2 * r] *= old; o[j][2 * r + 1] *= old;
      }
      sum[r] = sum[r] * old + add;
    }
#pragma unroll
    for (int c = 0; c < 4; c++) {
      unsigned a[4] = {pack(s[2 * c][0], s[2 * c][1]), pack(s[2 * c][2], s[2 * c][3]), pack(s[2 * c + 1][0], s[2 * c + 1][1]), pack(s[2 * c + 1][2], s[2 * c + 1][3])};
#pragma unroll
      for (int j = 0; j < 4; j++) { unsigned b[4]; load_transposed(b, shared_address(&sv[c * 16 + (lane & 15)][j * 16 + (lane >> 4) * 8])); multiply(o[2 * j], a, b[0], b[1]); multiply(o[2 * j + 1], a, b[2], b[3]); }
    }
  }
#pragma unroll
  for (int r = 0; r < 2; r++) {
    sum[r] += __shfl_xor_sync(~0u, sum[r], 1); sum[r] += __shfl_xor_sync(~0u, sum[r], 2); float f = __fdividef(1.0f, sum[r]);
    half* row = out + base + (blockIdx.x * 64 + warp * 16 + (lane >> 2) + 8 * r) * 64 + (lane & 3) * 2;
#pragma unroll
    for (int j = 0; j < 8; j++) *(half2*)(row + j * 8) = __floats2half2_rn(o[j][2 * r] * f, o[j][2 * r + 1] * f);
  }
}
extern "C" __global__ void dp4a_gemm(int* c, const int* a, const int* b, int n, int words) {  // int8, four products an instruction, 64 x 64 tiles
  __shared__ int sa[8][68], sb[8][68]; int t = threadIdx.x, x = t & 15, y = t >> 4, sum[4][4] = {};
  for (int k = 0; k < words; k += 8) {
    for (int i = t; i < 512; i += 256) { sa[i & 7][i >> 3] = a[(blockIdx.y * 64 + (i >> 3)) * words + k + (i & 7)]; sb[i & 7][i >> 3] = b[(blockIdx.x * 64 + (i >> 3)) * words + k + (i & 7)]; }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; kk++) {
      int4 u = *(int4*)&sa[kk][y * 4], v = *(int4*)&sb[kk][x * 4]; int p[4] = {u.x, u.y, u.z, u.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = __dp4a(p[i], q[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) *(int4*)&c[(blockIdx.y * 64 + y * 4 + i) * n + blockIdx.x * 64 + x * 4] = make_int4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
__device__ __forceinline__ void copy16(void* s, const void* g) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(s)), "l"(g) : "memory"); }
extern "C" __global__ void stages3_gemm(float* c, const half* a, const half* b, int n) {  // fp16, 64 x 64 x 32 tiles, three stages of cp.async
  __shared__ __align__(16) half sa[3][64][40], sb[3][32][72]; int t = threadIdx.x, lane = t & 31, wy = t >> 6, wx = t >> 5 & 1, tiles = n / 32; float sum[2][4][4] = {};
  auto fetch = [&](int k) {
    for (int i = t; i < 256; i += 128) { copy16(&sa[k % 3][i >> 2][(i & 3) * 8], a + (blockIdx.y * 64 + (i >> 2)) * n + k * 32 + (i & 3) * 8); copy16(&sb[k % 3][i >> 3][(i & 7) * 8], b + (k * 32 + (i >> 3)) * n + blockIdx.x * 64 + (i & 7) * 8); }
  };
  for (int k = 0; k < 2; k++) { fetch(k); asm volatile("cp.async.commit_group;"); }
  for (int k = 0; k < tiles; k++) {
    asm volatile("cp.async.wait_group 1;" ::: "memory"); __syncthreads(); if (k + 2 < tiles) fetch(k + 2); asm volatile("cp.async.commit_group;"); int s = k % 3;
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned p[2][4], q[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) { load_matrices(p[i], shared_address(&sa[s][wy * 32 + i * 16 + (lane & 15)][kk + (lane >> 4) * 8])); load_transposed(q[i], shared_address(&sb[s][kk + (lane & 15)][wx * 32 + i * 16 + (lane >> 4) * 8])); }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply(sum[i][j], p[i], q[j >> 1][2 * (j & 1)], q[j >> 1][2 * (j & 1) + 1]);
    }
  }
  for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) for (int r = 0; r < 2; r++)
    *(float2*)&c[(blockIdx.y * 64 + wy * 32 + i * 16 + (lane >> 2) + 8 * r) * n + blockIdx.x * 64 + wx * 32 + j * 8 + (lane & 3) * 2] = make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
}
__device__ __forceinline__ void wait_phase(unsigned bar, unsigned parity) {
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" :: "r"(bar), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_ring(float* out, const float* in, int rows) {  // a producer warp, four consumer warps, a ring of four 4 KiB stages
  __shared__ __align__(128) float s[4][1024]; __shared__ __align__(8) unsigned long long full[4], empty[4]; int t = threadIdx.x, warp = t >> 5, lane = t & 31;
  if (t == 0) { for (int k = 0; k < 4; k++) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(&full[k]))); asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" :: "r"(shared_address(&empty[k]))); } asm volatile("fence.mbarrier_init.release.cluster;"); }
  __syncthreads(); const float* base = in + (size_t)blockIdx.x * rows * 1024;
  if (warp == 4) {
    if (lane == 0) for (int r = 0; r < rows; r++) {
      int k = r & 3; if (r >= 4) wait_phase(shared_address(&empty[k]), ((r >> 2) - 1) & 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(shared_address(&full[k])) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" :: "r"(shared_address(s[k])), "l"(base + r * 1024), "r"(shared_address(&full[k])) : "memory");
    }
    return;
  }
  float acc = 0;
  for (int r = 0; r < rows; r++) {
    int k = r & 3; wait_phase(shared_address(&full[k]), r >> 2 & 1);
#pragma unroll
    for (int i = 0; i < 2; i++) { float4 v = *(float4*)&s[k][(i * 128 + t) * 4]; acc += fmaxf(v.x * v.y, v.z) + v.w * acc * 0.25f; }
    __syncwarp(); if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_address(&empty[k])) : "memory");
  }
  out[blockIdx.x * 128 + t] = acc;
}
extern "C" __global__ void transpose_f64_odd(double* out, const double* in, int w, int h) {  // no padding, sizes that no tile divides
  __shared__ double s[32][32]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < w && y + j < h) s[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) if (x < h && y + j < w) out[(y + j) * h + x] = s[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void floyd_tile(unsigned* d, int n, int pivot) {  // third phase of blocked all-pairs shortest paths
  __shared__ unsigned row[32][32], col[32][33]; int bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y; if (bx == pivot || by == pivot) return;
  unsigned v[4];
#pragma unroll
  for (int j = 0; j < 4; j++) { row[y + 8 * j][x] = d[(pivot * 32 + y + 8 * j) * n + bx * 32 + x]; col[y + 8 * j][x] = d[(by * 32 + y + 8 * j) * n + pivot * 32 + x]; v[j] = d[(by * 32 + y + 8 * j) * n + bx * 32 + x]; }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; k++) { unsigned r = row[k][x];
#pragma unroll
    for (int j = 0; j < 4; j++) v[j] = min(v[j], col[y + 8 * j][k] + r); }
#pragma unroll
  for (int j = 0; j < 4; j++) d[(by * 32 + y + 8 * j) * n + bx * 32 + x] = v[j];
}
extern "C" __global__ void cluster_softmax(float* out, const float* in) {  // four blocks a row of 4096, maxima and sums through distributed shared memory
  __shared__ float part[8], peer[2]; cg::cluster_group cluster = cg::this_cluster(); int t = threadIdx.x; float4 v = ((const float4*)in)[blockIdx.x * 256 + t];
  float m = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if ((t & 31) == 0) part[t >> 5] = m; __syncthreads();
  if (t == 0) { for (int i = 1; i < 8; i++) m = fmaxf(m, part[i]); peer[0] = m; }
  cluster.sync(); for (int i = 0; i < 4; i++) m = fmaxf(m, *cluster.map_shared_rank(&peer[0], i));
  v = make_float4(__expf(v.x - m), __expf(v.y - m), __expf(v.z - m), __expf(v.w - m)); float s = warp_sum(v.x + v.y + v.z + v.w);
  if ((t & 31) == 0) part[t >> 5] = s; __syncthreads();
  if (t == 0) { s = 0; for (int i = 0; i < 8; i++) s += part[i]; peer[1] = s; }
  cluster.sync(); s = 0; for (int i = 0; i < 4; i++) s += *cluster.map_shared_rank(&peer[1], i);
  s = __fdividef(1.0f, s); ((float4*)out)[blockIdx.x * 256 + t] = make_float4(v.x * s, v.y * s, v.z * s, v.w * s); cluster.sync();
}
extern "C" __global__ void gemv_float4(float* y, const float* a, const float* x, int cols) {  // a warp a row, wide loads
  int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; const float4 *p = (const float4*)(a + (size_t)row * cols), *q = (const float4*)x; float s = 0;
  for (int i = lane; i < cols / 4; i += 32) { float4 u = p[i], v = q[i]; s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w; }
  s = warp_sum(s); if (lane == 0) y[row] = s;
}
void register_arithmetic(); void register_irregular();
void register_dense() {
  CASE("conv7_const", "dense", conv7_const, "weights in constant memory").g(24, 48).b(32, 16).out("out", "f32", 768 * 768).in("in", "f32", 768 * 768, "uniform", 301).i(768).i(768);
  CASE("cholesky_warp", "dense", cholesky_warp, "factors in registers and shuffles").g(256).b(128).out("m", "f32", 1024 * 256, "uniform", 302).i(1024);
  CASE("fft512", "dense", fft512, "radix 8 through shared memory").g(1024).b(64).out("data", "f32", 1024 * 1024, "uniform", 303);
  CASE("layernorm_half2", "dense", layernorm_half2, "rows of 1024 halves").g(2048).b(128).out("out", "f16", 2048 * 1024).in("in", "f16", 2048 * 1024, "uniform", 304).in("gamma", "f16", 1024, "uniform", 305).in("beta", "f16", 1024, "uniform", 306);
  CASE("gelu_half2", "dense", gelu_half2, "halves in pairs, tanh").g(264).b(256).out("out", "f16", 1 << 20).in("in", "f16", 1 << 20, "uniform", 307).in("bias", "f16", 3000, "uniform", 308).i(1 << 19).i(1500);
  CASE("rmsnorm_bf16", "dense", rmsnorm_bf16, "a warp a row, bf16 out").g(512).b(128).out("out", "f16", 2048 * 768).in("in", "f32", 2048 * 768, "uniform", 309).in("weight", "f32", 768, "positive", 310).i(2048);
  CASE("attention_mma", "dense", attention_mma, "online softmax around mma").g(4, 32).b(128).out("out", "f16", 32 * 256 * 64).in("q", "f16", 32 * 256 * 64, "uniform", 311).in("k", "f16", 32 * 256 * 64, "uniform", 312).in("v", "f16", 32 * 256 * 64, "uniform", 313).i(256);
  CASE("dp4a_gemm", "dense", dp4a_gemm, "int8 products").g(8, 8).b(256).out("c", "i32", 512 * 512).in("a", "u32", 512 * 128, "raw", 314).in("b", "u32", 512 * 128, "raw", 315).i(512).i(128);
  CASE("stages3_gemm", "dense", stages3_gemm, "three stages of cp.async, mma").g(8, 8).b(128).out("c", "f32", 512 * 512).in("a", "f16", 512 * 512, "uniform", 316).in("b", "f16", 512 * 512, "uniform", 317).i(512);
  CASE("bulk_ring", "dense", bulk_ring, "bulk copies, producer and consumers").g(264).b(160).out("out", "f32", 264 * 128).in("in", "f32", 264 * 24 * 1024, "uniform", 318).i(24);
  CASE("transpose_f64_odd", "dense", transpose_f64_odd, "conflicts of doubles, odd sizes").g(25, 32).b(32, 8).out("out", "f64", 777 * 1003).in("in", "f64", 777 * 1003, "uniform", 319).i(777).i(1003);
  CASE("floyd_tile", "dense", floyd_tile, "min and plus").g(24, 24).b(32, 8).out("d", "u32", 768 * 768, "range", 320, 100000).i(768).i(5);
  CASE("cluster_softmax", "dense", cluster_softmax, "clusters of four").g(1024).b(256).c(4).out("out", "f32", 1 << 20).in("in", "f32", 1 << 20, "uniform", 321);
  CASE("gemv_float4", "dense", gemv_float4, "a warp a row").g(256).b(256).out("y", "f32", 2048).in("a", "f32", 2048 * 2000, "uniform", 322).in("x", "f32", 2000, "uniform", 323).i(2000);
}
void register_algorithms() { register_dense(); register_arithmetic(); register_irregular(); }
