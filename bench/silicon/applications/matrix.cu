// SPDX-License-Identifier: Apache-2.0
// Fifth held-out set, matrix: products of every make, attention. See README.md.
#include "../harness.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned shared_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
template <int N> __device__ __forceinline__ void copy_async(void* to, const void* from) {
  if constexpr (N == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_of(to)), "l"(from) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(shared_of(to)), "l"(from), "n"(N) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait_group() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_of(p)) : "memory");
}
__device__ __forceinline__ void ldsm4t(unsigned (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_of(p)) : "memory");
}
__device__ __forceinline__ void mma_bf16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma_tf32(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma_half(unsigned (&d)[2], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The first product that anyone writes, with bounds that no size fits.
extern "C" __global__ void gemm_naive_edge(float* c, const float* a, const float* b, int m, int n, int k, float alpha, float beta) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
  }
}
// 128 x 64 a block, eight by four a thread, a transposed on its way into shared memory.
extern "C" __global__ void __launch_bounds__(256) gemm_128x64x8(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n, int k) {
  __shared__ float as[8][128], bs[8][64];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const float* ap = a + (blockIdx.y * 128 + tid / 2) * k + (tid % 2) * 4;
  const float* bp = b + (tid / 16 % 8) * n + blockIdx.x * 64 + (tid % 16) * 4;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    float4 va = *reinterpret_cast<const float4*>(ap + k0);
    as[(tid % 2) * 4 + 0][tid / 2] = va.x; as[(tid % 2) * 4 + 1][tid / 2] = va.y;
    as[(tid % 2) * 4 + 2][tid / 2] = va.z; as[(tid % 2) * 4 + 3][tid / 2] = va.w;
    if (tid < 128) *reinterpret_cast<float4*>(&bs[tid / 16][(tid % 16) * 4]) = *reinterpret_cast<const float4*>(bp + k0 * n);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float ra[8], rb[4];
      *reinterpret_cast<float4*>(ra) = *reinterpret_cast<float4*>(&as[i][ty * 8]);
      *reinterpret_cast<float4*>(ra + 4) = *reinterpret_cast<float4*>(&as[i][ty * 8 + 4]);
      *reinterpret_cast<float4*>(rb) = *reinterpret_cast<float4*>(&bs[i][tx * 4]);
#pragma unroll
      for (int y = 0; y < 8; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) acc[y][x] += ra[y] * rb[x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < 8; ++y)
    *reinterpret_cast<float4*>(&c[(blockIdx.y * 128 + ty * 8 + y) * n + blockIdx.x * 64 + tx * 4]) = make_float4(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
}
// 64 x 64 x 16 in floats with STAGES stages of cp.async: four bytes each for a (transposed), sixteen for b.
template <int STAGES> __device__ __forceinline__ void sgemm_pipelined(float* c, const float* a, const float* b, int n, int k, float (*as)[16][68], float (*bs)[16][64]) {
  const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, tiles = k / 16;
  auto load = [&](int tile) {
    int s = tile % STAGES;
#pragma unroll
    for (int i = 0; i < 4; ++i) { int id = tid + i * 256; copy_async<4>(&as[s][id & 15][id >> 4], a + (row0 + (id >> 4)) * k + tile * 16 + (id & 15)); }
    copy_async<16>(&bs[s][tid >> 4][(tid & 15) * 4], b + (tile * 16 + (tid >> 4)) * n + col0 + (tid & 15) * 4);
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) { if (s < tiles) load(s); commit(); }
  float acc[4][4] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    wait_group<STAGES - 2>();
    __syncthreads();
    if (tile + STAGES - 1 < tiles) load(tile + STAGES - 1);
    commit();
    int s = tile % STAGES;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float4 ra = *(float4*)&as[s][i][ty * 4], rb = *(float4*)&bs[s][i][tx * 4];
      const float* x = &ra.x; const float* y = &rb.x;
#pragma unroll
      for (int p = 0; p < 4; ++p)
#pragma unroll
        for (int q = 0; q < 4; ++q) acc[p][q] = fmaf(x[p], y[q], acc[p][q]);
    }
  }
#pragma unroll
  for (int p = 0; p < 4; ++p) *(float4*)&c[(row0 + ty * 4 + p) * n + col0 + tx * 4] = make_float4(acc[p][0], acc[p][1], acc[p][2], acc[p][3]);
}
extern "C" __global__ void __launch_bounds__(256) sgemm_cp2(float* c, const float* a, const float* b, int n, int k) {
  __shared__ __align__(16) float as[2][16][68], bs[2][16][64];
  sgemm_pipelined<2>(c, a, b, n, k, as, bs);
}
extern "C" __global__ void __launch_bounds__(256) sgemm_cp4(float* c, const float* a, const float* b, int n, int k) {
  __shared__ __align__(16) float as[4][16][68], bs[4][16][64];
  sgemm_pipelined<4>(c, a, b, n, k, as, bs);
}
// bf16 by tensor cores: 128 x 128 x 32, eight warps, three stages, rows of 40 elements.
extern "C" __global__ void __launch_bounds__(256) gemm_bf16_128(__nv_bfloat16* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int n, int k) {
  extern __shared__ __align__(16) __nv_bfloat16 tiles[];
  constexpr int P = 40, SIZE = 128 * P;
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, wy = warp >> 2, wx = warp & 3, count = k / 32;
  auto load = [&](int t) {
    __nv_bfloat16* s = tiles + (t % 3) * 2 * SIZE;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int id = tid + i * 256, r = id >> 2, q = (id & 3) * 8;
      copy_async<16>(s + r * P + q, a + (size_t)(blockIdx.y * 128 + r) * k + t * 32 + q);
      copy_async<16>(s + SIZE + r * P + q, b + (size_t)(blockIdx.x * 128 + r) * k + t * 32 + q);
    }
  };
  float acc[4][4][4] = {};
  load(0); commit(); load(1); commit();
  for (int t = 0; t < count; ++t) {
    wait_group<1>();
    __syncthreads();
    const __nv_bfloat16 *sa = tiles + (t % 3) * 2 * SIZE, *sb = sa + SIZE;
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int y = 0; y < 4; ++y) ldsm4(fa[y], sa + (wy * 64 + y * 16 + (lane & 15)) * P + kk + (lane >> 4) * 8);
#pragma unroll
      for (int x = 0; x < 2; ++x) ldsm4(fb[x], sb + (wx * 32 + x * 16 + (lane & 7) + (lane >> 4) * 8) * P + kk + (lane >> 3 & 1) * 8);
#pragma unroll
      for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) mma_bf16(acc[y][x], fa[y], fb[x >> 1][(x & 1) * 2], fb[x >> 1][(x & 1) * 2 + 1]);
    }
    if (t + 2 < count) load(t + 2);
    commit();
  }
#pragma unroll
  for (int y = 0; y < 4; ++y)
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      size_t row = blockIdx.y * 128 + wy * 64 + y * 16 + (lane >> 2), col = blockIdx.x * 128 + wx * 32 + x * 8 + (lane & 3) * 2;
      *(__nv_bfloat162*)&c[row * n + col] = __floats2bfloat162_rn(acc[y][x][0], acc[y][x][1]);
      *(__nv_bfloat162*)&c[(row + 8) * n + col] = __floats2bfloat162_rn(acc[y][x][2], acc[y][x][3]);
    }
}
// tf32: 64 x 64 x 16, four stages, a by ldmatrix (a float is two halves), b by plain loads.
extern "C" __global__ void __launch_bounds__(128) gemm_tf32_ldsm(float* c, const float* a, const float* b, int n, int k) {
  __shared__ __align__(16) float as[4][64][20], bs[4][16][72];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, wy = warp >> 1, wx = warp & 1, count = k / 16;
  auto load = [&](int t) {
    int s = t & 3;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int id = tid + i * 128;
      copy_async<16>(&as[s][id >> 2][(id & 3) * 4], a + (blockIdx.y * 64 + (id >> 2)) * k + t * 16 + (id & 3) * 4);
      copy_async<16>(&bs[s][id >> 4][(id & 15) * 4], b + (t * 16 + (id >> 4)) * n + blockIdx.x * 64 + (id & 15) * 4);
    }
  };
  for (int t = 0; t < 3; ++t) { load(t); commit(); }
  float acc[2][4][4] = {};
  for (int t = 0; t < count; ++t) {
    wait_group<2>();
    __syncthreads();
    if (t + 3 < count) load(t + 3);
    commit();
    int s = t & 3;
#pragma unroll
    for (int kk = 0; kk < 16; kk += 8) {
      unsigned fa[2][4];
#pragma unroll
      for (int y = 0; y < 2; ++y) ldsm4(fa[y], &as[s][wy * 32 + y * 16 + (lane & 15)][kk + (lane >> 4) * 4]);
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        unsigned b0 = __float_as_uint(bs[s][kk + (lane & 3)][wx * 32 + x * 8 + (lane >> 2)]), b1 = __float_as_uint(bs[s][kk + (lane & 3) + 4][wx * 32 + x * 8 + (lane >> 2)]);
        mma_tf32(acc[0][x], fa[0], b0, b1); mma_tf32(acc[1][x], fa[1], b0, b1);
      }
    }
  }
#pragma unroll
  for (int y = 0; y < 2; ++y)
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      int row = blockIdx.y * 64 + wy * 32 + y * 16 + (lane >> 2), col = blockIdx.x * 64 + wx * 32 + x * 8 + (lane & 3) * 2;
      *(float2*)&c[row * n + col] = make_float2(acc[y][x][0], acc[y][x][1]); *(float2*)&c[(row + 8) * n + col] = make_float2(acc[y][x][2], acc[y][x][3]);
    }
}
// Sums in halves, the next tile waits in registers; bias and relu at the end.
extern "C" __global__ void __launch_bounds__(128) gemm_half_bias(half* c, const half* a, const half* b, const half* bias, int n, int k) {
  __shared__ __align__(16) half as[64][40], bs[32][72];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const uint4* ap = (const uint4*)(a + (size_t)(blockIdx.y * 64 + (tid >> 1)) * k + (tid & 1) * 16);
  const uint4* bp = (const uint4*)(b + (size_t)(tid >> 2) * n + blockIdx.x * 64 + (tid & 3) * 16);
  uint4 a0 = ap[0], a1 = ap[1], b0 = bp[0], b1 = bp[1];
  unsigned acc[8][2] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    *(uint4*)&as[tid >> 1][(tid & 1) * 16] = a0; *(uint4*)&as[tid >> 1][(tid & 1) * 16 + 8] = a1;
    *(uint4*)&bs[tid >> 2][(tid & 3) * 16] = b0; *(uint4*)&bs[tid >> 2][(tid & 3) * 16 + 8] = b1;
    __syncthreads();
    if (k0 + 32 < k) { ap += 4; bp += n * 4; a0 = ap[0]; a1 = ap[1]; b0 = bp[0]; b1 = bp[1]; }
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned fa[4];
      ldsm4(fa, &as[warp * 16 + (lane & 15)][kk + (lane >> 4) * 8]);
#pragma unroll
      for (int x = 0; x < 4; ++x) { unsigned fb[4]; ldsm4t(fb, &bs[kk + (lane & 15)][x * 16 + (lane >> 4) * 8]); mma_half(acc[2 * x], fa, fb[0], fb[1]); mma_half(acc[2 * x + 1], fa, fb[2], fb[3]); }
    }
    __syncthreads();
  }
#pragma unroll
  for (int x = 0; x < 8; ++x) {
    int col = blockIdx.x * 64 + x * 8 + (lane & 3) * 2; half2 add = *(const half2*)&bias[col], zero = __float2half2_rn(0.0f);
#pragma unroll
    for (int r = 0; r < 2; ++r) *(half2*)&c[(size_t)(blockIdx.y * 64 + warp * 16 + (lane >> 2) + r * 8) * n + col] = __hmax2(__hadd2(*(half2*)&acc[x][r], add), zero);
  }
}
// Halves without tensor cores: four rows by two pairs a thread.
extern "C" __global__ void __launch_bounds__(256) hgemm_simt(half2* c, const half* a, const half2* b, int n2, int k) {
  __shared__ half as[16][66]; __shared__ half2 bs[16][32];
  const int tid = threadIdx.x, tx = tid & 15, ty = tid >> 4;
  half2 acc[4][2];
  for (auto& row : acc) row[0] = row[1] = __float2half2_rn(0.0f);
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = tid; i < 1024; i += 256) as[i & 15][i >> 4] = a[(blockIdx.y * 64 + (i >> 4)) * k + k0 + (i & 15)];
    for (int i = tid; i < 512; i += 256) bs[i >> 5][i & 31] = b[(k0 + (i >> 5)) * n2 + blockIdx.x * 32 + (i & 31)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      half2 b0 = bs[i][tx], b1 = bs[i][tx + 16];
#pragma unroll
      for (int y = 0; y < 4; ++y) { half2 v = __half2half2(as[i][ty * 4 + y]); acc[y][0] = __hfma2(v, b0, acc[y][0]); acc[y][1] = __hfma2(v, b1, acc[y][1]); }
    }
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y) { c[(blockIdx.y * 64 + ty * 4 + y) * n2 + blockIdx.x * 32 + tx] = acc[y][0]; c[(blockIdx.y * 64 + ty * 4 + y) * n2 + blockIdx.x * 32 + tx + 16] = acc[y][1]; }
}
// Split along k: blocks add their part to c by atomics (whole numbers, so that the order does not show).
extern "C" __global__ void __launch_bounds__(256) gemm_split_k(float* c, const unsigned char* a, const unsigned char* b, int n, int k, int part) {
  __shared__ float as[32][33], bs[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32;
  float acc[4] = {};
  for (int k0 = blockIdx.z * part; k0 < (blockIdx.z + 1) * part; k0 += 32) {
    for (int i = 0; i < 32; i += 8) { as[ty + i][tx] = (float)a[(row + ty + i) * k + k0 + tx]; bs[ty + i][tx] = (float)b[(k0 + ty + i) * n + col + tx]; }
    __syncthreads();
    for (int j = 0; j < 32; ++j)
      for (int i = 0; i < 4; ++i) acc[i] += as[ty + i * 8][j] * bs[j][tx];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) atomicAdd(&c[(row + ty + i * 8) * n + col + tx], acc[i]);
}
// Attention that looks back only: 64 queries a block, keys by 64, bf16, blocks of unlike length.
extern "C" __global__ void __launch_bounds__(128) attention_causal(float* out, const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, int length) {
  __shared__ __align__(16) __nv_bfloat16 sk[64][40], sv[64][40];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, last = blockIdx.x;
  const size_t base = (size_t)blockIdx.y * length * 32;
  for (int i = tid; i < 256; i += 128) *(uint4*)&sk[i >> 2][(i & 3) * 8] = *(const uint4*)&q[base + (last * 64 + (i >> 2)) * 32 + (i & 3) * 8];
  __syncthreads();
  unsigned fq[2][4];
  for (int x = 0; x < 2; ++x) ldsm4(fq[x], &sk[warp * 16 + (lane & 15)][x * 16 + (lane >> 4) * 8]);
  float o[4][4] = {}, top[2] = {-1e30f, -1e30f}, sum[2] = {};
  for (int t = 0; t <= last; ++t) {
    __syncthreads();
    for (int i = tid; i < 256; i += 128) {
      *(uint4*)&sk[i >> 2][(i & 3) * 8] = *(const uint4*)&k[base + (t * 64 + (i >> 2)) * 32 + (i & 3) * 8];
      *(uint4*)&sv[i >> 2][(i & 3) * 8] = *(const uint4*)&v[base + (t * 64 + (i >> 2)) * 32 + (i & 3) * 8];
    }
    __syncthreads();
    float s[8][4] = {};
#pragma unroll
    for (int x = 0; x < 2; ++x)
#pragma unroll
      for (int y = 0; y < 4; ++y) {
        unsigned f[4]; ldsm4(f, &sk[y * 16 + (lane & 7) + (lane >> 4) * 8][x * 16 + (lane >> 3 & 1) * 8]);
        mma_bf16(s[2 * y], fq[x], f[0], f[1]); mma_bf16(s[2 * y + 1], fq[x], f[2], f[3]);
      }
    if (t == last) {
#pragma unroll
      for (int y = 0; y < 8; ++y)
#pragma unroll
        for (int e = 0; e < 4; ++e) if (y * 8 + (lane & 3) * 2 + (e & 1) > warp * 16 + (lane >> 2) + (e >> 1) * 8) s[y][e] = -1e30f;
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float m = top[r];
#pragma unroll
      for (int y = 0; y < 8; ++y) m = fmaxf(m, fmaxf(s[y][2 * r], s[y][2 * r + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1)); m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float f = __expf(top[r] - m); top[r] = m; sum[r] *= f;
#pragma unroll
      for (int y = 0; y < 4; ++y) { o[y][2 * r] *= f; o[y][2 * r + 1] *= f; }
#pragma unroll
      for (int y = 0; y < 8; ++y) { s[y][2 * r] = __expf(s[y][2 * r] - m); s[y][2 * r + 1] = __expf(s[y][2 * r + 1] - m); sum[r] += s[y][2 * r] + s[y][2 * r + 1]; }
    }
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      unsigned fp[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) { __nv_bfloat162 h = __floats2bfloat162_rn(s[2 * x + (e >> 1)][(e & 1) * 2], s[2 * x + (e >> 1)][(e & 1) * 2 + 1]); fp[e] = *(unsigned*)&h; }
#pragma unroll
      for (int y = 0; y < 2; ++y) { unsigned f[4]; ldsm4t(f, &sv[x * 16 + (lane & 15)][y * 16 + (lane >> 4) * 8]); mma_bf16(o[2 * y], fp, f[0], f[1]); mma_bf16(o[2 * y + 1], fp, f[2], f[3]); }
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(~0u, sum[r], 1); sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
#pragma unroll
    for (int y = 0; y < 4; ++y) *(float2*)&out[base + (last * 64 + warp * 16 + (lane >> 2) + r * 8) * 32 + y * 8 + (lane & 3) * 2] = make_float2(o[y][2 * r] / sum[r], o[y][2 * r + 1] / sum[r]);
  }
}
void register_matrix() {
  CASE("gemm_naive_edge", "matrix", gemm_naive_edge, "no size fits").g(17, 38).b(16, 8).out("c", "f32", 300 * 260, "uniform", 800).in("a", "f32", 300 * 120, "uniform", 801).in("b", "f32", 120 * 260, "uniform", 802).i(300).i(260).i(120).f(1.5f).f(0.5f);
  CASE("gemm_128x64x8", "matrix", gemm_128x64x8, "registers 8 x 4").g(10, 5).b(256).out("c", "f32", 640 * 640).in("a", "f32", 640 * 128, "uniform", 803).in("b", "f32", 128 * 640, "uniform", 804).i(640).i(128);
  CASE("sgemm_cp2", "matrix", sgemm_cp2, "cp.async, two stages").g(7, 6).b(256).out("c", "f32", 384 * 448).in("a", "f32", 384 * 192, "uniform", 805).in("b", "f32", 192 * 448, "uniform", 806).i(448).i(192);
  CASE("sgemm_cp4", "matrix", sgemm_cp4, "cp.async, four stages").g(12, 11).b(256).out("c", "f32", 704 * 768).in("a", "f32", 704 * 96, "uniform", 807).in("b", "f32", 96 * 768, "uniform", 808).i(768).i(96);
  CASE("gemm_bf16_128", "matrix", gemm_bf16_128, "mma bf16, three stages").g(9, 7).b(256).dyn(61440).out("c", "f16", 896 * 1152).in("a", "f16", 896 * 256, "uniform", 809).in("b", "f16", 1152 * 256, "uniform", 810).i(1152).i(256);
  CASE("gemm_tf32_ldsm", "matrix", gemm_tf32_ldsm, "mma tf32, four stages").g(11, 8).b(128).out("c", "f32", 512 * 704).in("a", "f32", 512 * 192, "uniform", 811).in("b", "f32", 192 * 704, "uniform", 812).i(704).i(192);
  CASE("gemm_half_bias", "matrix", gemm_half_bias, "sums in halves").g(16, 15).b(128).out("c", "f16", 960 * 1024).in("a", "f16", 960 * 320, "uniform", 813).in("b", "f16", 320 * 1024, "uniform", 814).in("bias", "f16", 1024, "uniform", 815).i(1024).i(320);
  CASE("hgemm_simt", "matrix", hgemm_simt, "half2 products").g(9, 8).b(256).out("c", "f16", 512 * 576).in("a", "f16", 512 * 144, "uniform", 816).in("b", "f16", 144 * 576, "uniform", 817).i(288).i(144);
  CASE("gemm_split_k", "matrix", gemm_split_k, "atomics, bytes in").g(5, 6, 8).b(32, 8).out("c", "f32", 192 * 160).in("a", "u8", 192 * 768, "range", 818, 9).in("b", "u8", 768 * 160, "range", 819, 7).i(160).i(768).i(96);
  CASE("attention_causal", "matrix", attention_causal, "blocks of unlike length").g(8, 30).b(128).out("out", "f32", 30 * 512 * 32).in("q", "f16", 30 * 512 * 32, "uniform", 820).in("k", "f16", 30 * 512 * 32, "uniform", 821).in("v", "f16", 30 * 512 * 32, "uniform", 822).i(512);
}
