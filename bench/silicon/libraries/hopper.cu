// SPDX-License-Identifier: Apache-2.0
// Fourth held-out set, hopper: tensor copies, clusters, warp groups, cache hints, launches of unlike size. See README.md.
#include "../harness.cuh"
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__device__ __forceinline__ unsigned shared_of(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void bar_init(void* b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared_of(b)), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_expect(void* b, unsigned n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_of(b)), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(void* b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared_of(b)) : "memory"); }
__device__ __forceinline__ void bar_wait(void* b, unsigned parity) {
  unsigned done = 0;
  while (!done) asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(shared_of(b)), "r"(parity) : "memory");
}
__device__ __forceinline__ void tile_in(void* to, const CUtensorMap* map, int x, int y, void* bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" :: "r"(shared_of(to)), "l"(map), "r"(shared_of(bar)), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void tile_in_all(void* to, const CUtensorMap* map, int x, int y, void* bar, unsigned short mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" :: "r"(shared_of(to)), "l"(map), "r"(shared_of(bar)), "r"(x), "r"(y), "h"(mask) : "memory");
}
__device__ __forceinline__ void init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ float warp_sum(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; }

// A transposition: a tile of 32 x 32 in by a tensor copy, out by another.
extern "C" __global__ void __launch_bounds__(256) tma_transpose(const __grid_constant__ CUtensorMap out, const __grid_constant__ CUtensorMap in) {
  __shared__ __align__(128) float a[32][32], b[32][32]; __shared__ unsigned long long bar; int t = threadIdx.x;
  if (t == 0) { bar_init(&bar, 1); init_fence(); bar_expect(&bar, 4096); tile_in(a, &in, blockIdx.x * 32, blockIdx.y * 32, &bar); }
  __syncthreads(); bar_wait(&bar, 0);
#pragma unroll
  for (int k = 0; k < 4; k++) { int y = (t >> 5) + k * 8, x = t & 31; b[y][x] = a[x][y]; }
  proxy_fence(); __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" :: "l"(&out), "r"(shared_of(b)), "r"(blockIdx.y * 32), "r"(blockIdx.x * 32) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
// A matrix product whose warps have tasks: one fetches tiles (swizzled by the copy), four multiply by mma.
__device__ __forceinline__ void ldsm(unsigned (&r)[4], unsigned a) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a)); }
__device__ __forceinline__ void multiply_stage(float (&acc)[2][4][4], unsigned a, unsigned b, int lane, int wy, int wx) {
#pragma unroll
  for (int kk = 0; kk < 4; kk++) {
    unsigned fa[2][4], fb[2][4];
#pragma unroll
    for (int x = 0; x < 2; x++) {
      int ra = wy * 32 + x * 16 + (lane & 15), rb = wx * 32 + x * 16 + (lane & 7) + (lane >> 4) * 8;
      ldsm(fa[x], a + ra * 128 + (((kk * 2 + (lane >> 4)) ^ (ra & 7)) << 4)); ldsm(fb[x], b + rb * 128 + (((kk * 2 + (lane >> 3 & 1)) ^ (rb & 7)) << 4));
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
#pragma unroll
      for (int y = 0; y < 4; y++)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(acc[x][y][0]), "+f"(acc[x][y][1]), "+f"(acc[x][y][2]), "+f"(acc[x][y][3]) : "r"(fa[x][0]), "r"(fa[x][1]), "r"(fa[x][2]), "r"(fa[x][3]), "r"(fb[y >> 1][(y & 1) * 2]), "r"(fb[y >> 1][(y & 1) * 2 + 1]));
  }
}
__device__ __forceinline__ void write_tile(float* c, const float (&acc)[2][4][4], int row, int col, int n, int lane) {
#pragma unroll
  for (int x = 0; x < 2; x++)
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
      for (int r = 0; r < 2; r++) *(float2*)&c[(size_t)(row + x * 16 + (lane >> 2) + r * 8) * n + col + y * 8 + (lane & 3) * 2] = make_float2(acc[x][y][2 * r], acc[x][y][2 * r + 1]);
}
extern "C" __global__ void __launch_bounds__(160) gemm_producer_warp(float* c, const __grid_constant__ CUtensorMap am, const __grid_constant__ CUtensorMap bm, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[]; unsigned long long *full = (unsigned long long*)(tiles + 4 * 16384), *empty = full + 4; int t = threadIdx.x, warp = t >> 5, lane = t & 31, steps = k / 64;
  if (t == 0) { for (int s = 0; s < 4; s++) { bar_init(&full[s], 1); bar_init(&empty[s], 4); } init_fence(); }
  __syncthreads();
  if (warp == 4) {
    if (lane == 0) for (int i = 0; i < steps; i++) { int s = i & 3; if (i >= 4) bar_wait(&empty[s], (i / 4 - 1) & 1); bar_expect(&full[s], 16384); tile_in(tiles + s * 16384, &am, i * 64, blockIdx.y * 64, &full[s]); tile_in(tiles + s * 16384 + 8192, &bm, i * 64, blockIdx.x * 64, &full[s]); }
    return;
  }
  float acc[2][4][4] = {}; int wy = warp >> 1, wx = warp & 1;
  for (int i = 0; i < steps; i++) {
    int s = i & 3; bar_wait(&full[s], i >> 2 & 1); unsigned a = shared_of(tiles) + s * 16384; multiply_stage(acc, a, a + 8192, lane, wy, wx);
    __syncwarp(); if (lane == 0) bar_arrive(&empty[s]);
  }
  write_tile(c, acc, blockIdx.y * 64 + wy * 32, blockIdx.x * 64 + wx * 32, n, lane);
}
// The same for two blocks with one tile of b, which each fetches half of for both.
extern "C" __global__ void __launch_bounds__(128) gemm_multicast(float* c, const __grid_constant__ CUtensorMap am, const __grid_constant__ CUtensorMap bm, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[]; unsigned long long* full = (unsigned long long*)(tiles + 2 * 16384); auto cluster = cg::this_cluster(); int t = threadIdx.x, warp = t >> 5, lane = t & 31, rank = cluster.block_rank(), row = blockIdx.x % 2 * 64 + blockIdx.y * 128, col = blockIdx.x / 2 * 64, steps = k / 64;
  if (t == 0) { bar_init(&full[0], 1); bar_init(&full[1], 1); init_fence(); }
  cluster.sync(); float acc[2][4][4] = {}; int wy = warp >> 1, wx = warp & 1;
  auto fetch = [&](int i) { int s = i & 1; unsigned char* to = tiles + s * 16384; bar_expect(&full[s], 16384); tile_in(to, &am, i * 64, row, &full[s]); tile_in(to + 4096, &am, i * 64, row + 32, &full[s]); tile_in_all(to + 8192 + rank * 4096, &bm, i * 64, col + rank * 32, &full[s], 3); };
  if (t == 0) { fetch(0); if (steps > 1) fetch(1); }
  for (int i = 0; i < steps; i++) {
    bar_wait(&full[i & 1], i >> 1 & 1); unsigned a = shared_of(tiles) + (i & 1) * 16384; multiply_stage(acc, a, a + 8192, lane, wy, wx);
    cluster.sync(); if (t == 0 && i + 2 < steps) fetch(i + 2);
  }
  write_tile(c, acc, row + wy * 32, col + wx * 32, n, lane);
}
// wgmma with a of registers in bf16, b in shared memory without swizzle: 64 x 64 by 64 along k.
__device__ __forceinline__ void wgmma64(float (&d)[32], const unsigned (&a)[4], unsigned long long b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, p, 1, 1, 0;\n}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
extern "C" __global__ void __launch_bounds__(128) gemm_wgmma_rs(float* c, const __nv_bfloat16* a, const __nv_bfloat16* b, int n, int k) {
  __shared__ __align__(128) __nv_bfloat16 s[64 * 64]; int t = threadIdx.x, lane = t & 31, row = blockIdx.y * 64 + (t >> 5) * 16 + (lane >> 2), col0 = blockIdx.x * 64; float d[32];
#pragma unroll
  for (int i = 0; i < 32; i++) d[i] = 0;
  for (int k0 = 0; k0 < k; k0 += 64) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) { int id = t + i * 128, r = id >> 3, q = id & 7; *(uint4*)&s[((r >> 3) * 8 + q) * 64 + (r & 7) * 8] = *(const uint4*)&b[(size_t)(col0 + r) * k + k0 + q * 8]; }
    unsigned f[4][4];
#pragma unroll
    for (int x = 0; x < 4; x++)
#pragma unroll
      for (int i = 0; i < 4; i++) f[x][i] = *(const unsigned*)&a[(size_t)(row + (i & 1) * 8) * k + k0 + x * 16 + (lane & 3) * 2 + (i >> 1) * 8];
    proxy_fence(); __syncthreads(); asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    unsigned long long base = (unsigned long long)(shared_of(s) >> 4) | 8ull << 16 | 64ull << 32;
#pragma unroll
    for (int x = 0; x < 4; x++) wgmma64(d, f[x], base + x * 16);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
#pragma unroll
  for (int j = 0; j < 8; j++) { int col = col0 + j * 8 + (lane & 3) * 2; *(float2*)&c[(size_t)row * n + col] = make_float2(d[4 * j], d[4 * j + 1]); *(float2*)&c[(size_t)(row + 8) * n + col] = make_float2(d[4 * j + 2], d[4 * j + 3]); }
}
// Partial sums of a cluster come to its first block by st.async, counted by its barrier.
extern "C" __global__ void __launch_bounds__(128) cluster_st_async(float* out, const float4* in, int quads) {
  __shared__ __align__(16) float part[8][128]; __shared__ unsigned long long bar; auto cluster = cg::this_cluster(); int t = threadIdx.x, rank = cluster.block_rank(); float sum = 0;
  if (t == 0) { bar_init(&bar, 1); init_fence(); if (rank == 0) bar_expect(&bar, 8 * 512); }
  cluster.sync();
  for (int i = t; i < quads; i += 128) { float4 v = in[(size_t)blockIdx.x * quads + i]; sum += v.x * v.y + v.z * v.w; }
  unsigned to, at; asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(shared_of(&part[rank][t]))); asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(shared_of(&bar)));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(to), "r"(__float_as_uint(sum)), "r"(at) : "memory");
  if (rank == 0) { bar_wait(&bar, 0); float all = 0; for (int b = 0; b < 8; b++) all += part[b][t]; out[blockIdx.x / 8 * 128 + t] = all; }
  cluster.sync();
}
// Counts of a block are added to memory by one bulk reduction.
extern "C" __global__ void __launch_bounds__(256) bulk_add_bins(unsigned* bins, const unsigned* in, int each) {
  __shared__ __align__(128) unsigned s[1024]; int t = threadIdx.x; for (int i = t; i < 1024; i += 256) s[i] = 0;
  __syncthreads(); for (int i = t; i < each; i += 256) atomicAdd(&s[in[blockIdx.x * each + i] >> 22], 1u);
  proxy_fence(); __syncthreads();
  if (t == 0) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 4096;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" :: "l"(bins), "r"(shared_of(s)) : "memory");
}
// Reads once, past L1, in 16-byte pieces, prefetched a turn ahead; writes that are not kept.
extern "C" __global__ void stream_hints(uint4* out, const uint4* in, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint4 v; asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in + i));
    if (i + step < n) asm volatile("prefetch.global.L2 [%0];" :: "l"(in + i + step));
    v.x = __vavgu4(v.x, v.y); v.z = __vabsdiffu4(v.z, v.w); __stcs(out + i, v);
  }
}
// Volatile words of shared memory, as before warps were independent.
extern "C" __global__ void volatile_reduce(float* out, const float* in, int n) {
  __shared__ volatile float s[256]; int t = threadIdx.x; float sum = 0; for (int i = blockIdx.x * 512 + t; i < n; i += gridDim.x * 512) { sum += in[i]; if (i + 256 < n) sum += in[i + 256]; }
  s[t] = sum; __syncthreads(); if (t < 128) s[t] = sum = sum + s[t + 128];
  __syncthreads(); if (t < 64) s[t] = sum = sum + s[t + 64];
  __syncthreads(); if (t < 32) { for (int o = 32; o; o >>= 1) { s[t] = sum = sum + s[t + o]; __syncwarp(); } if (t == 0) out[blockIdx.x] = sum; }
}
// One warp, one chain of dependent work: the smallest launch.
extern "C" __global__ void tiny_newton(double* out, const double* in) {
  double x = in[threadIdx.x], y = 1.0; for (int k = 0; k < 12; k++) y = 0.5 * (y + x / y);
  out[threadIdx.x] = y;
}
// Very many small blocks, most of which leave at once.
extern "C" __global__ void huge_sparse(unsigned* out, const unsigned* in) {
  unsigned v = in[blockIdx.x]; if (v & 7) return;
  out[blockIdx.x * 32 + threadIdx.x] = v * (threadIdx.x + 1) ^ v >> 3;
}
// A grid of three dimensions that fits nothing: edges leave early, rows of unlike length.
extern "C" __global__ void odd_volume(float* out, const float* in, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z; if (x >= nx || y >= ny || z >= nz) return;
  float v = 0; for (int k = 0; k <= (x * 7 + y * 3 + z) % 11; k++) v += in[(z * ny + y) * nx + (x + k) % nx] * (k + 1);
  out[(z * ny + y) * nx + x] = v;
}
// Dynamic shared memory of several types: indices, doubles and flags in one array.
extern "C" __global__ void mixed_dynamic(double* out, const double* in, const unsigned* index, int n) {
  extern __shared__ __align__(16) unsigned char raw[]; double* d = (double*)raw; unsigned* k = (unsigned*)(d + n); unsigned char* flag = (unsigned char*)(k + n); int t = threadIdx.x, b = blockDim.x; const double* p = in + (size_t)blockIdx.x * n;
  for (int i = t; i < n; i += b) { d[i] = p[i]; k[i] = index[blockIdx.x * n + i] % n; flag[i] = p[i] > 0; }
  __syncthreads();
  for (int i = t; i < n; i += b) { int j = i; double sum = 0; for (int s = 0; s < 6; s++) { if (flag[j]) sum += d[j]; j = k[j]; } out[(size_t)blockIdx.x * n + i] = sum; }
}
// Votes and matches: lanes that agree, exact minima by redux, match_all.
extern "C" __global__ void vote_match(unsigned* out, const unsigned* in, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned v = in[i], r = 0; int same;
  for (int k = 0; k < turns; k++) {
    unsigned m = __match_any_sync(~0u, v & 7), all = __match_all_sync(~0u, v >> 31, &same); r += __popc(m) + (same ? all & 1 : 0); v ^= __reduce_xor_sync(~0u, v * (k + 1)) + __reduce_min_sync(m, v >> 3); if (__all_sync(~0u, v > 1000)) r += 3; v = v * 1664525u + 1013904223u;
  }
  out[i] = r ^ v;
}
void register_hopper() {
  CASE("tma_transpose", "hopper", tma_transpose, "tensor copies in and out").g(30, 20).b(256).tma("out", "f32", 640, 960, 32, 32, 0, "zero", 1, true).tma("in", "f32", 960, 640, 32, 32, 0, "uniform", 700);
  CASE("gemm_producer_warp", "hopper", gemm_producer_warp, "a warp fetches, four multiply").g(12, 10).b(160).dyn(65536 + 64).out("c", "f32", 640 * 768).tma("a", "f16", 512, 640, 64, 64, 128, "uniform", 701).tma("b", "f16", 512, 768, 64, 64, 128, "uniform", 702).i(768).i(512);
  CASE("gemm_multicast", "hopper", gemm_multicast, "a tile for two blocks").g(20, 6).b(128).c(2).dyn(32768 + 64).out("c", "f32", 768 * 640).tma("a", "f16", 384, 768, 64, 32, 128, "uniform", 703).tma("b", "f16", 384, 640, 64, 32, 128, "uniform", 704).i(640).i(384);
  CASE("gemm_wgmma_rs", "hopper", gemm_wgmma_rs, "wgmma, a from registers").g(12, 11).b(128).out("c", "f32", 704 * 768).in("a", "f16", 704 * 384, "uniform", 705).in("b", "f16", 768 * 384, "uniform", 706).i(768).i(384);
  CASE("cluster_st_async", "hopper", cluster_st_async, "sums sent to the first block").g(8 * 32).b(128).c(8).out("out", "f32", 32 * 128).in("in", "f32", 256 * 4000, "uniform", 707).i(1000);
  CASE("bulk_add_bins", "hopper", bulk_add_bins, "bulk reduction").g(132).b(256).out("bins", "u32", 1024).in("in", "u32", 132 * 3000, "raw", 708).i(3000);
  CASE("stream_hints", "hopper", stream_hints, "no_allocate, prefetch, streaming").g(528).b(256).out("out", "u32", 4 * 400000).in("in", "u32", 4 * 400000, "raw", 709).i(400000);
  CASE("volatile_reduce", "hopper", volatile_reduce, "volatile shared memory").g(264).b(256).out("out", "f32", 264).in("in", "f32", 700000, "uniform", 710).i(700000);
  CASE("tiny_newton", "hopper", tiny_newton, "one warp").g(1).b(32).out("out", "f64", 32).in("in", "f64", 32, "positive", 711);
  CASE("huge_sparse", "hopper", huge_sparse, "40,000 blocks of a warp").g(40000).b(32).out("out", "u32", 40000 * 32).in("in", "u32", 40000, "raw", 712);
  CASE("odd_volume", "hopper", odd_volume, "edges, rows of unlike length").g(5, 13, 11).b(24, 6, 2).out("out", "f32", 101 * 75 * 21).in("in", "f32", 101 * 75 * 21, "uniform", 713).i(101).i(75).i(21);
  CASE("mixed_dynamic", "hopper", mixed_dynamic, "doubles, indices, flags").g(200).b(192).dyn(13 * 1500).out("out", "f64", 200 * 1500).in("in", "f64", 200 * 1500, "uniform", 714).in("index", "u32", 200 * 1500, "raw", 715).i(1500);
  CASE("vote_match", "hopper", vote_match, "match, redux, votes").g(264).b(128).out("out", "u32", 264 * 128).in("in", "u32", 264 * 128, "raw", 716).i(16);
}
void register_library(); void register_networks(); void register_algorithms();
void register_libraries() { register_library(); register_networks(); register_algorithms(); register_hopper(); }
