// SPDX-License-Identifier: Apache-2.0
// Fifth held-out set, machine: warp groups, copies, clusters, atomics, lanes, banks, widths, launches of unlike size. See README.md.
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
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra.uni DONE;\nbra.uni AGAIN;\nDONE:\n}" :: "r"(shared_of(b)), "r"(parity) : "memory");
}
__device__ __forceinline__ void init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void tile_in(void* to, const CUtensorMap* map, int x, int y, void* bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" :: "r"(shared_of(to)), "l"(map), "r"(shared_of(bar)), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void bulk_in(void* to, const void* from, unsigned bytes, void* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(shared_of(to)), "l"(from), "r"(bytes), "r"(shared_of(bar)) : "memory");
}

// A product by wgmma that stays: blocks take tiles in turn, one group of warps fetches by tensor copies, two multiply, four stages.
__device__ __forceinline__ void wgmma_m64n128(float (&d)[64], unsigned long long a, unsigned long long b) {
  asm volatile("{\nwgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
               "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1, 0, 0;\n}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
                 "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
               : "l"(a), "l"(b));
}
extern "C" __global__ void __launch_bounds__(384, 1) wgmma_persistent(float* c, const __grid_constant__ CUtensorMap am, const __grid_constant__ CUtensorMap bm, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  unsigned long long *full = (unsigned long long*)(tiles + 4 * 32768), *empty = full + 4;
  const int tid = threadIdx.x, group = tid / 128, steps = k / 64, wide = n / 128, count = m / 128 * wide;
  if (tid == 0) { for (int s = 0; s < 4; ++s) { bar_init(&full[s], 1); bar_init(&empty[s], 2); } init_fence(); }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (tid == 0) {
      int it = 0;
      for (int tile = blockIdx.x; tile < count; tile += gridDim.x)
        for (int i = 0; i < steps; ++i, ++it) {
          int s = it & 3;
          if (it >= 4) bar_wait(&empty[s], (it / 4 - 1) & 1);
          bar_expect(&full[s], 32768);
          tile_in(tiles + s * 32768, &am, i * 64, tile / wide * 128, &full[s]); tile_in(tiles + s * 32768 + 16384, &bm, i * 64, tile % wide * 128, &full[s]);
        }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  int it = 0;
  for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
    float d[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) d[i] = 0;
    for (int i = 0; i < steps; ++i, ++it) {
      int s = it & 3;
      bar_wait(&full[s], it >> 2 & 1);
      unsigned long long a = (unsigned long long)((shared_of(tiles) + s * 32768 + (group - 1) * 8192) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62, b = (unsigned long long)((shared_of(tiles) + s * 32768 + 16384) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int x = 0; x < 4; ++x) wgmma_m64n128(d, a + x * 2, b + x * 2);
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (tid % 128 == 0) bar_arrive(&empty[s]);
    }
    int row = tile / wide * 128 + (group - 1) * 64 + tid % 128 / 32 * 16 + tid % 32 / 4, col = tile % wide * 128 + tid % 4 * 2;
#pragma unroll
    for (int j = 0; j < 16; ++j) { *(float2*)&c[(size_t)row * n + col + j * 8] = make_float2(d[4 * j], d[4 * j + 1]); *(float2*)&c[(size_t)(row + 8) * n + col + j * 8] = make_float2(d[4 * j + 2], d[4 * j + 3]); }
  }
}
// Bytes by wgmma: cp.async brings two stages of tiles without swizzle, one group of warps.
__device__ __forceinline__ void wgmma_s8(int (&d)[32], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])
               : "l"(a), "l"(b));
}
extern "C" __global__ void __launch_bounds__(128) wgmma_int8(int* c, const signed char* a, const signed char* b, int n, int k) {
  __shared__ __align__(128) signed char s[2][2][64 * 128];
  const int t = threadIdx.x, steps = k / 128;
  auto load = [&](int i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int id = t + j * 128, r = id >> 3, q = id & 7, at = ((r >> 3) * 8 + q) * 128 + (r & 7) * 16;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_of(&s[i & 1][0][at])), "l"(a + (size_t)(blockIdx.y * 64 + r) * k + i * 128 + q * 16) : "memory");
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_of(&s[i & 1][1][at])), "l"(b + (size_t)(blockIdx.x * 64 + r) * k + i * 128 + q * 16) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  int d[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) d[i] = 0;
  load(0);
  for (int i = 0; i < steps; ++i) {
    if (i + 1 < steps) { load(i + 1); asm volatile("cp.async.wait_group 1;" ::: "memory"); } else asm volatile("cp.async.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    unsigned long long da = (unsigned long long)(shared_of(s[i & 1][0]) >> 4) | 8ull << 16 | 64ull << 32, db = (unsigned long long)(shared_of(s[i & 1][1]) >> 4) | 8ull << 16 | 64ull << 32;
#pragma unroll
    for (int x = 0; x < 4; ++x) wgmma_s8(d, da + x * 16, db + x * 16);
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  int row = blockIdx.y * 64 + t / 32 * 16 + t % 32 / 4, col = blockIdx.x * 64 + t % 4 * 2;
#pragma unroll
  for (int j = 0; j < 8; ++j) { *(int2*)&c[row * n + col + j * 8] = make_int2(d[4 * j], d[4 * j + 1]); *(int2*)&c[(row + 8) * n + col + j * 8] = make_int2(d[4 * j + 2], d[4 * j + 3]); }
}
// A ring of bulk copies of DEPTH stages: one thread fetches, four warps use, barriers both ways.
template <int DEPTH> __device__ __forceinline__ void ring(float* out, const float* in, int steps) {
  __shared__ __align__(128) float s[DEPTH][1024]; __shared__ unsigned long long full[DEPTH], empty[DEPTH];
  const int t = threadIdx.x;
  if (t == 0) { for (int i = 0; i < DEPTH; ++i) { bar_init(&full[i], 1); bar_init(&empty[i], 4); } init_fence(); }
  __syncthreads();
  const float* p = in + (size_t)blockIdx.x * steps * 1024;
  if (t >= 128) {
    if (t == 128) for (int i = 0; i < steps; ++i) { int k = i % DEPTH; if (i >= DEPTH) bar_wait(&empty[k], (i / DEPTH - 1) & 1); bar_expect(&full[k], 4096); bulk_in(s[k], p + i * 1024, 4096, &full[k]); }
    return;
  }
  float sum = 0;
  for (int i = 0; i < steps; ++i) {
    int k = i % DEPTH; bar_wait(&full[k], i / DEPTH & 1);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum = fmaf(s[k][t + j * 128], s[k][(t * 3 + j * 128) & 1023], sum);
    __syncwarp(); if ((t & 31) == 0) bar_arrive(&empty[k]);
  }
  out[blockIdx.x * 128 + t] = sum;
}
extern "C" __global__ void __launch_bounds__(160) ring_depth2(float* out, const float* in, int steps) { ring<2>(out, in, steps); }
extern "C" __global__ void __launch_bounds__(160) ring_depth7(float* out, const float* in, int steps) { ring<7>(out, in, steps); }
// cp.async tells a barrier that it has arrived: all threads fetch three stages ahead.
extern "C" __global__ void __launch_bounds__(128) async_arrive(float4* out, const float4* in, int steps) {
  __shared__ __align__(16) float4 s[4][128]; __shared__ unsigned long long bar[4]; int t = threadIdx.x;
  if (t == 0) for (int i = 0; i < 4; ++i) bar_init(&bar[i], 128);
  __syncthreads();
  const float4* p = in + (size_t)blockIdx.x * steps * 128;
  auto fetch = [&](int i) { int k = i & 3; asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.mbarrier.arrive.noinc.shared::cta.b64 [%2];" :: "r"(shared_of(&s[k][t])), "l"(p + i * 128 + t), "r"(shared_of(&bar[k])) : "memory"); };
  for (int i = 0; i < 3; ++i) fetch(i);
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = 0; i < steps; ++i) {
    bar_wait(&bar[i & 3], i >> 2 & 1);
    float4 a = s[i & 3][t ^ 33], b = s[i & 3][127 - t]; sum.x += a.x * b.y; sum.y += a.y * b.z; sum.z += a.z * b.w; sum.w += a.w * b.x;
    __syncthreads();
    if (i + 3 < steps) fetch(i + 3);
  }
  out[blockIdx.x * 128 + t] = sum;
}
// A table for four blocks: each fetches a quarter for all by a multicast of bulk copies, then all look words up.
extern "C" __global__ void __launch_bounds__(256) multicast_table(unsigned* out, const unsigned* table, const unsigned* index, int each) {
  extern __shared__ __align__(128) unsigned words[]; __shared__ unsigned long long bar; auto cluster = cg::this_cluster(); int t = threadIdx.x, rank = cluster.block_rank();
  if (t == 0) { bar_init(&bar, 1); init_fence(); bar_expect(&bar, 32768); }
  cluster.sync();
  if (t == 0) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 8192, [%2], %3;" :: "r"(shared_of(words + rank * 2048)), "l"(table + rank * 2048), "r"(shared_of(&bar)), "h"((unsigned short)15) : "memory");
  bar_wait(&bar, 0);
  for (int i = t; i < each; i += 256) { unsigned v = index[blockIdx.x * each + i]; for (int k = 0; k < 3; ++k) v = words[v & 8191] ^ v >> 5; out[blockIdx.x * each + i] = v; }
  cluster.sync();
}
// Running sums over a cluster of eight: each block reads the sums of those before it.
extern "C" __global__ void __launch_bounds__(256) cluster_scan(int* out, const int* in) {
  __shared__ int part[8], total; auto cluster = cg::this_cluster(); int t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * 256 + t, v = in[i], x = v;
  for (int o = 1; o < 32; o <<= 1) { int up = __shfl_up_sync(~0u, x, o); if (lane >= o) x += up; }
  if (lane == 31) part[warp] = x;
  __syncthreads();
  int before = 0; for (int w = 0; w < warp; ++w) before += part[w];
  if (t == 255) total = before + x;
  cluster.sync();
  int rank = cluster.block_rank(); for (int b = 0; b < rank; ++b) before += *cluster.map_shared_rank(&total, b);
  out[i] = before + x - v;
  cluster.sync();
}
// Columns are dealt to the blocks of a cluster: every thread writes into shared memory of another block.
extern "C" __global__ void __launch_bounds__(128) cluster_exchange(float* out, const float* in) {
  __shared__ float s[4][4][128]; auto cluster = cg::this_cluster(); int t = threadIdx.x, rank = cluster.block_rank(), id = blockIdx.x / 4;
  cluster.sync();
  for (int k = 0; k < 16; ++k) { int to = (t + k) & 3; float* there = cluster.map_shared_rank(&s[rank][k >> 2][0], to); there[(t & ~3) | (k & 3)] = in[((id * 4 + rank) * 16 + k) * 128 + t]; }
  cluster.sync();
  for (int k = 0; k < 16; ++k) out[((id * 4 + rank) * 16 + k) * 128 + t] = s[k >> 2][k & 3][t];
}
// Work of unlike length from a queue: a warp takes the next task by an atomic.
extern "C" __global__ void __launch_bounds__(128) work_queue(unsigned* out, unsigned* head, const unsigned* work, int tasks) {
  int lane = threadIdx.x & 31;
  while (true) {
    unsigned task = 0;
    if (lane == 0) task = atomicAdd(head, 1u);
    task = __shfl_sync(~0u, task, 0);
    if (task >= tasks) break;
    unsigned v = work[task], turns = (v & 255) + 16, x = v + lane;
    for (unsigned k = 0; k < turns; ++k) x = x * 1664525u + (x >> 16 ^ k);
    out[task * 32 + lane] = x;
  }
}
// The last block to come sums what all have left.
extern "C" __global__ void __launch_bounds__(256) last_block_sum(float* total, float* part, unsigned* done, const float* in, int n) {
  __shared__ float s[8]; __shared__ bool last; int t = threadIdx.x, lane = t & 31, warp = t >> 5; float v = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += in[i];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if (lane == 0) s[warp] = v;
  __syncthreads();
  if (t == 0) { v = 0; for (int w = 0; w < 8; ++w) v += s[w]; part[blockIdx.x] = v; __threadfence(); last = atomicAdd(done, 1u) == gridDim.x - 1; }
  __syncthreads();
  if (!last) return;
  v = 0; for (int i = t; i < gridDim.x; i += 256) v += ((volatile float*)part)[i];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if (lane == 0) s[warp] = v;
  __syncthreads();
  if (t == 0) { v = 0; for (int w = 0; w < 8; ++w) v += s[w]; *total = v; }
}
// Every kind of atomic on words of memory, 32 and 64 bits, pairs of halves.
extern "C" __global__ void atomic_kinds(unsigned* w, unsigned long long* d, __half2* h, const unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], at = v >> 20 & 63;
  atomicAdd(&w[at], v & 255); atomicMax(&w[64 + at], v); atomicMin(&w[128 + at], v); atomicOr(&w[192 + at], 1u << (v & 31)); atomicXor(&w[256 + at], v); atomicAnd(&w[320 + at], ~(v << 20)); atomicInc(&w[384 + at], 999u);
  atomicAdd(&d[at], (unsigned long long)v << 8); atomicMax(&d[64 + at], (unsigned long long)v * v);
  atomicAdd(&h[at], __halves2half2(__int2half_rn(v & 1), __int2half_rn(v >> 1 & 1)));
  unsigned* slot = &w[448 + at]; unsigned old = *(volatile unsigned*)slot, seen;
  do { seen = old; old = atomicCAS(slot, seen, max(seen, v ^ 0x5a5a5a5au)); } while (old != seen);
}
// What passes goes to lists by one atomic a warp; only counts are kept, and a sum that no order changes.
extern "C" __global__ void filter_aggregated(unsigned* count, unsigned* sum, unsigned* list, const unsigned* in, int n, unsigned limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned v = i < n ? in[i] : ~0u;
  if (v < limit) {
    cg::coalesced_group g = cg::coalesced_threads(); unsigned at = 0;
    if (g.thread_rank() == 0) at = atomicAdd(count, g.size());
    at = g.shfl(at, 0) + g.thread_rank(); list[at] = v; atomicAdd(&sum[v & 15], v);
  }
}
// 32 x 32 words change rows for columns within a warp, by five steps of shuffles.
extern "C" __global__ void __launch_bounds__(128) shuffle_transpose(unsigned* data) {
  int warp = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x & 31; unsigned r[32], *p = data + warp * 1024;
#pragma unroll
  for (int k = 0; k < 32; ++k) r[k] = p[k * 32 + lane];
#pragma unroll
  for (int s = 16; s; s >>= 1) {
#pragma unroll
    for (int k = 0; k < 32; ++k) if (!(k & s)) { bool up = lane & s; unsigned give = up ? r[k] : r[k + s], got = __shfl_xor_sync(~0u, give, s); if (up) r[k] = got; else r[k + s] = got; }
  }
#pragma unroll
  for (int k = 0; k < 32; ++k) p[k * 32 + lane] = r[k];
}
// Primes by votes: lanes are numbers, a bit each, divided by those below.
extern "C" __global__ void sieve_votes(unsigned* bits, unsigned base) {
  unsigned n = base + 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1; bool prime = true; unsigned last = __shfl_sync(~0u, n, 31);
  for (unsigned d = 3; d * d <= last; d += 2) { if (n % d == 0) prime = false; if (!__any_sync(~0u, prime)) break; }
  unsigned word = __ballot_sync(~0u, prime); if ((threadIdx.x & 31) == 0) bits[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = word;
}
// Rows of doubles and of four floats with a pitch of the launch: conflicts of 64- and 128-bit words.
extern "C" __global__ void __launch_bounds__(128) bank_pitch_f64(double* out, int pitch, int turns) {
  extern __shared__ double d[]; int t = threadIdx.x, lane = t & 31; double v = t, *mine = d + (t & ~31) * 16; for (int i = lane; i < 512; i += 32) mine[i] = i;
  __syncwarp();
  for (int k = 0; k < turns; ++k) { v += mine[(lane * pitch + k) & 511]; __syncwarp(); mine[(lane * pitch + k * 5) & 511] = v * 0.5; __syncwarp(); }
  out[blockIdx.x * 128 + t] = v;
}
extern "C" __global__ void __launch_bounds__(128) bank_pitch_f128(float4* out, int pitch, int turns) {
  extern __shared__ float4 q[]; int t = threadIdx.x; float4 v = make_float4(t, 1, 2, 3); for (int i = t; i < 1024; i += 128) q[i] = make_float4(i, i + 1, i + 2, i + 3);
  __syncthreads();
  for (int k = 0; k < turns; ++k) { float4 w = q[(t * pitch + k) & 1023]; v.x += w.y; v.y += w.z; v.z += w.w; v.w += w.x; }
  out[blockIdx.x * 128 + t] = v;
}
// Transpositions of odd sizes: bytes and pairs of bytes through shared memory.
template <class T, int PAD> __device__ __forceinline__ void transpose_odd(T* out, const T* in, int width, int height) {
  __shared__ T s[32][32 + PAD]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) if (x < width && y + k < height) s[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
  __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) if (x < height && y + k < width) out[(y + k) * height + x] = s[threadIdx.x][threadIdx.y + k];
}
extern "C" __global__ void __launch_bounds__(256) transpose_u8_odd(unsigned char* out, const unsigned char* in, int width, int height) { transpose_odd<unsigned char, 1>(out, in, width, height); }
extern "C" __global__ void __launch_bounds__(256) transpose_u16_odd(unsigned short* out, const unsigned short* in, int width, int height) { transpose_odd<unsigned short, 2>(out, in, width, height); }
// Quotients and remainders of 64 bits, with and without sign.
extern "C" __global__ void divide_64(long long* out, const uint2* a, const uint2* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint2 p = a[i], q = b[i]; unsigned long long x = p.x | (unsigned long long)p.y << 32, y = (q.x | (unsigned long long)(q.y >> (i & 31)) << 32) | 1; long long u = (long long)x, v = (long long)(y >> 1) - (1ll << 40) | 1;
  out[i] = (long long)(x / y) ^ (long long)(x % y) ^ u / v ^ u % v;
}
// Moves on a board of bits: counts, first and last bits, reversals, bit by bit.
extern "C" __global__ void bitboard_moves(unsigned* out, const uint2* board, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint2 q = board[i]; unsigned long long own = q.x | (unsigned long long)(q.y & q.x) << 32, block = __brevll(own) | own << 9; unsigned sum = 0;
  for (unsigned long long left = own; left; left &= left - 1) { int at = __ffsll(left) - 1; unsigned long long line = (0x0101010101010101ull << (at & 7)) & block, up = line & (~0ull << at << 1), down = line & ((1ull << at) - 1); sum += (up ? __ffsll(up) : 64) - (down ? 64 - __clzll(down) : 0) + __popcll(line) * at; }
  out[i] = sum;
}
// A polynomial in pairs of bf16, four terms in flight.
extern "C" __global__ void horner_bf162(__nv_bfloat162* out, const __nv_bfloat162* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    __nv_bfloat162 x = in[i], y = __float2bfloat162_rn(0.25f);
#pragma unroll
    for (int k = 0; k < 12; ++k) y = __hfma2(y, x, __float2bfloat162_rn(0.5f - 0.0625f * k));
    out[i] = __hmax2(__hmul2(y, x), __hneg2(y));
  }
}
struct Mixed { float3 p; uchar4 colour; };
// Structures of 16 bytes, rows of three floats, shorts and bytes: every width in one kernel.
extern "C" __global__ void mixed_widths(Mixed* out, const float3* p, const unsigned short* weight, const char4* shift, const unsigned char* flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || flag[i] == 7) return;
  float3 q = p[i]; char4 s = shift[i]; float w = weight[i] * (1.0f / 65536); Mixed m; m.p = make_float3(q.x * w + s.x, q.y * w + s.y, q.z * w + s.z); m.colour = make_uchar4(s.w, flag[i], weight[i] >> 8, weight[i]); out[i] = m;
}
// Bytes from an odd place to another, a word at a time where that is possible.
extern "C" __global__ void copy_unaligned(unsigned char* out, const unsigned char* in, int n, int from, int to) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 4 <= n) { const unsigned* p = (const unsigned*)(in + (from & ~3)) + i / 4; unsigned v = __funnelshift_r(p[0], p[1], (from & 3) * 8); for (int k = 0; k < 4; ++k) out[to + i + k] = v >> (8 * k); }
}
// A filter of 48 taps of constants, sixteen outputs a thread, all inputs in registers.
__constant__ float taps[48] = {0.01f, 0.02f, 0.03f, 0.05f, 0.08f, 0.11f, 0.13f, 0.17f, 0.19f, 0.23f, 0.29f, 0.31f, 0.37f, 0.41f, 0.43f, 0.47f, 0.53f, 0.59f, 0.61f, 0.67f, 0.71f, 0.73f, 0.79f, 0.83f, 0.89f, 0.97f, 1.01f, 1.03f, 1.07f, 1.09f, 1.13f, 1.27f, 1.31f, 1.37f, 1.39f, 1.49f, 1.51f, 1.57f, 1.63f, 1.67f, 1.73f, 1.79f, 1.81f, 1.91f, 1.93f, 1.97f, 1.99f, 2.11f};
extern "C" __global__ void __launch_bounds__(128, 3) fir_registers(float* out, const float* in, int streams) {
  int s = blockIdx.x * 128 + threadIdx.x; float x[63];
#pragma unroll
  for (int k = 0; k < 63; ++k) x[k] = in[(size_t)(blockIdx.y * 16 + k) * streams + s];
#pragma unroll
  for (int j = 0; j < 16; ++j) { float sum = 0; for (int k = 0; k < 48; ++k) sum += taps[k] * x[j + k]; out[(size_t)(blockIdx.y * 16 + j) * streams + s] = sum; }
}
// a = b + s c in pairs of doubles, a loop over the grid.
extern "C" __global__ void triad_double2(double2* a, const double2* __restrict__ b, const double2* __restrict__ c, double s, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { double2 x = b[i], y = c[i]; a[i] = make_double2(x.x + s * y.x, x.y + s * y.y); }
}
// Three blocks of 1,024 threads on the whole device: a chain of barriers and exchanges.
extern "C" __global__ void __launch_bounds__(1024) few_blocks(float* out, const float* in, int rounds) {
  __shared__ float s[1024]; int t = threadIdx.x; float v = in[blockIdx.x * 1024 + t];
  for (int r = 0; r < rounds; ++r) { s[t] = v; __syncthreads(); v = 0.5f * v + 0.25f * (s[(t + 1) & 1023] + s[(t - 1) & 1023]); __syncthreads(); }
  out[blockIdx.x * 1024 + t] = v;
}
// 200 KB of shared memory: one block an SM, a table of counters that all add to and read.
extern "C" __global__ void __launch_bounds__(512) shared_200k(unsigned* out, const unsigned* in, int each, int words) {
  extern __shared__ unsigned table[]; int t = threadIdx.x; for (int i = t; i < words; i += 512) table[i] = i;
  __syncthreads(); const unsigned* p = in + (size_t)blockIdx.x * each; for (int i = t; i < each; i += 512) atomicAdd(&table[p[i] % words], 1u);
  __syncthreads(); unsigned x = 0; for (int i = t; i < words; i += 512) x = x * 31 + table[i] * (table[(i * 7) % words] & 3);
  out[blockIdx.x * 512 + t] = x;
}
void register_matrix(); void register_layers(); void register_fields(); void register_data();
void register_machine() {
  CASE("wgmma_persistent", "machine", wgmma_persistent, "tiles in turn, four stages").g(40).b(384).dyn(131072 + 64).out("c", "f32", 1024 * 1152).tma("a", "f16", 256, 1024, 64, 128, 128, "uniform", 950).tma("b", "f16", 256, 1152, 64, 128, 128, "uniform", 951).i(1024).i(1152).i(256);
  CASE("wgmma_int8", "machine", wgmma_int8, "bytes, two stages").g(14, 12).b(128).out("c", "i32", 768 * 896).in("a", "u8", 768 * 512, "raw", 952).in("b", "u8", 896 * 512, "raw", 953).i(896).i(512);
  CASE("ring_depth2", "machine", ring_depth2, "two stages").g(200).b(160).out("out", "f32", 25600).in("in", "f32", 200 * 16 * 1024, "uniform", 954).i(16);
  CASE("ring_depth7", "machine", ring_depth7, "seven stages").g(132).b(160).out("out", "f32", 16896).in("in", "f32", 132 * 25 * 1024, "uniform", 955).i(25);
  CASE("async_arrive", "machine", async_arrive, "cp.async arrives").g(220).b(128).out("out", "f32", 220 * 512).in("in", "f32", 220 * 20 * 512, "uniform", 956).i(20);
  CASE("multicast_table", "machine", multicast_table, "bulk multicast").g(192).b(256).c(4).dyn(32768).out("out", "u32", 192 * 1500).in("table", "u32", 8192, "raw", 957).in("index", "u32", 192 * 1500, "raw", 958).i(1500);
  CASE("cluster_scan", "machine", cluster_scan, "sums of those before").g(320).b(256).c(8).out("out", "i32", 81920).in("in", "u32", 81920, "range", 959, 1000);
  CASE("cluster_exchange", "machine", cluster_exchange, "stores to others").g(256).b(128).c(4).out("out", "f32", 256 * 2048).in("in", "f32", 256 * 2048, "uniform", 960);
  CASE("work_queue", "machine", work_queue, "a warp a task").g(264).b(128).out("out", "u32", 5000 * 32).in("head", "u32", 1, "zero").in("work", "u32", 5000, "raw", 961).i(5000);
  CASE("last_block_sum", "machine", last_block_sum, "fence and ticket").g(300).b(256).out("total", "f32", 1).out("part", "f32", 300).in("done", "u32", 1, "zero").in("in", "f32", 500000, "uniform", 962).i(500000);
  CASE("atomic_kinds", "machine", atomic_kinds, "all kinds").g(50).b(128).out("w", "u32", 512).out("d", "u32", 256).out("h", "u32", 64).in("in", "u32", 6400, "raw", 963).i(6390);
  CASE("filter_aggregated", "machine", filter_aggregated, "one atomic a warp").g(500).b(256).out("count", "u32", 1).out("sum", "u32", 16).in("list", "u32", 128000, "zero").in("in", "u32", 128000, "raw", 964).i(127990).i(1200000000);
  CASE("shuffle_transpose", "machine", shuffle_transpose, "32 registers").g(150).b(128).out("data", "u32", 150 * 4096, "raw", 965);
  CASE("sieve_votes", "machine", sieve_votes, "remainders, votes").g(120).b(128).out("bits", "u32", 480).i(200000);
  CASE("bank64_pitch6", "machine", bank_pitch_f64, "doubles").g(132).b(128).dyn(16384).out("out", "f64", 16896).i(6).i(64);
  CASE("bank64_pitch17", "machine", bank_pitch_f64, "doubles, odd").g(132).b(128).dyn(16384).out("out", "f64", 16896).i(17).i(64);
  CASE("bank128_pitch3", "machine", bank_pitch_f128, "four floats, odd").g(132).b(128).dyn(16384).out("out", "f32", 67584).i(3).i(64);
  CASE("bank128_pitch12", "machine", bank_pitch_f128, "four floats, even").g(132).b(128).dyn(16384).out("out", "f32", 67584).i(12).i(64);
  CASE("transpose_u8_odd", "machine", transpose_u8_odd, "bytes").g(25, 20).b(32, 8).out("out", "u8", 777 * 611).in("in", "u8", 777 * 611, "raw", 966).i(777).i(611);
  CASE("transpose_u16_odd", "machine", transpose_u16_odd, "two bytes").g(21, 23).b(32, 8).out("out", "u8", 2 * 645 * 721).in("in", "u8", 2 * 645 * 721, "raw", 967).i(645).i(721);
  CASE("divide_64", "machine", divide_64, "64-bit quotients").g(160).b(128).out("out", "f64", 20480).in("a", "u32", 40960, "raw", 968).in("b", "u32", 40960, "raw", 969).i(20470);
  CASE("bitboard_moves", "machine", bitboard_moves, "64 bits").g(200).b(128).out("out", "u32", 25600).in("board", "u32", 51200, "raw", 970).i(25590);
  CASE("horner_bf162", "machine", horner_bf162, "pairs of bf16").g(264).b(256).out("out", "f16", 600000).in("in", "f16", 600000, "uniform", 971).i(300000);
  CASE("mixed_widths", "machine", mixed_widths, "all widths").g(400).b(192).out("out", "u32", 76800 * 4).in("p", "f32", 76800 * 3, "uniform", 972).in("weight", "u8", 153600, "raw", 973).in("shift", "u8", 307200, "raw", 974).in("flag", "u8", 76800, "raw", 975).i(76790);
  CASE("copy_unaligned", "machine", copy_unaligned, "odd places").g(500).b(128).out("out", "u8", 256016).in("in", "u8", 256016, "raw", 976).i(255999).i(3).i(5);
  CASE("fir_registers", "machine", fir_registers, "launch bounds").g(20, 12).b(128).out("out", "f32", 192 * 2560).in("in", "f32", 240 * 2560, "uniform", 977).i(2560);
  CASE("triad_double2", "machine", triad_double2, "streams").g(396).b(256).out("a", "f64", 1000000).in("b", "f64", 1000000, "uniform", 978).in("c", "f64", 1000000, "uniform", 979).val(3.0, "f64").i(500000);
  CASE("few_blocks", "machine", few_blocks, "1,024 threads, barriers").g(3).b(1024).out("out", "f32", 3072).in("in", "f32", 3072, "uniform", 980).i(100);
  CASE("shared_200k", "machine", shared_200k, "one block an SM").g(150).b(512).dyn(200000).out("out", "u32", 76800).in("in", "u32", 150 * 4000, "raw", 981).i(4000).i(50000);
}
void register_applications() { register_matrix(); register_layers(); register_fields(); register_data(); register_machine(); }
