// SPDX-License-Identifier: Apache-2.0
// Latency and issue-rate probes: one warp (or a few), in-kernel clock. `out[0]` holds cycles for the whole measured region.
#include "harness.cuh"
#include <cuda_fp16.h>
// A shared store of the value orders the clock read behind the chain that made it.
#define PROBE_BEGIN __shared__ volatile unsigned pin; asm volatile("" ::: "memory"); unsigned t0 = clock();
#define PROBE_END(v) pin = bits(v); unsigned t1 = clock(); if (threadIdx.x == 0 && blockIdx.x == 0) { out[0] = t1 - t0; out[1] = bits(v); }
__device__ __forceinline__ unsigned bits(float v) { return __float_as_uint(v); }
__device__ __forceinline__ unsigned bits(double v) { return (unsigned)__double2hiint(v); }
template <class T> __device__ __forceinline__ unsigned bits(T v) { return (unsigned)v; }
#define CHAIN(name, T, decl, stmt) extern "C" __global__ void name(unsigned* out, T seed) { decl; PROBE_BEGIN _Pragma("unroll") for (int k = 0; k < 256; k++) { stmt; } PROBE_END(x) }
CHAIN(lat_iadd, int, int x = seed, asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(seed)))
CHAIN(lat_imad, int, int x = seed, asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x) : "r"(seed)))
CHAIN(lat_lop3, int, int x = seed; int y = seed * 77, asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x) : "r"(seed), "r"(y)))
CHAIN(lat_shift, int, int x = seed, asm volatile("shl.b32 %0, %0, %1;" : "+r"(x) : "r"(seed)))
CHAIN(lat_popc, int, int x = seed, asm volatile("popc.b32 %0, %0;" : "+r"(x)))
CHAIN(lat_ffma, float, float x = seed, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(seed)))
CHAIN(lat_fadd, float, float x = seed, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(seed)))
CHAIN(lat_dfma, double, double x = seed, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(seed)))
CHAIN(lat_mufu_ex2, float, float x = seed + threadIdx.x * 0.01f, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(lat_mufu_rsqrt, float, float x = seed, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(lat_sin, float, float x = seed, asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(lat_hfma2, int, int x = seed, asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(seed)))
CHAIN(lat_cvt, int, int x = seed, asm volatile("{ .reg .f32 y; cvt.rn.f32.s32 y, %0; cvt.rzi.s32.f32 %0, y; }" : "+r"(x)))
CHAIN(lat_shfl, int, int x = seed + threadIdx.x, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x)))
CHAIN(lat_vote, int, int x = seed, asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1; }" : "+r"(x)))
CHAIN(lat_redux, int, int x = seed, asm volatile("redux.sync.add.s32 %0, %0, -1;" : "+r"(x)))
CHAIN(lat_setp_selp, int, int x = seed; int y = seed ^ threadIdx.x, asm volatile("{ .reg .pred p; .reg .s32 t; setp.lt.s32 p, %0, %1; add.s32 t, %0, %2; selp.s32 %0, t, %2, p; }" : "+r"(x) : "r"(seed), "r"(y)))
CHAIN(lat_mul64, long long, long long x = seed, asm volatile("mul.lo.s64 %0, %0, %1;" : "+l"(x) : "l"(seed)))
CHAIN(lat_bar, int, int x = seed, asm volatile("bar.sync 0;" ::: "memory"))
CHAIN(lat_membar_cta, int, int x = seed, asm volatile("membar.cta;" ::: "memory"))
CHAIN(lat_mma, int, float x = 0; float d1 = 0; float d2 = 0; float d3 = 0, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};" : "+f"(x), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(seed)))
extern "C" __global__ void lat_shared(unsigned* out, int stride) {
  __shared__ unsigned s[1024]; for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = ((i + stride) & 1023) * 4; __syncthreads();
  unsigned x = (unsigned)__cvta_generic_to_shared(s) ; unsigned base = x; x = 0; PROBE_BEGIN
#pragma unroll
  for (int k = 0; k < 256; k++) asm volatile("{ .reg .u32 a; add.u32 a, %0, %1; ld.shared.u32 %0, [a]; }" : "+r"(x) : "r"(base) : "memory"); PROBE_END(x)
}
extern "C" __global__ void lat_shared_atomic(unsigned* out, int v) {
  __shared__ unsigned s[32]; s[threadIdx.x] = 0; __syncthreads(); unsigned x = v; unsigned a = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]); PROBE_BEGIN
#pragma unroll
  for (int k = 0; k < 128; k++) asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(a) : "memory"); PROBE_END(x)
}
extern "C" __global__ void lat_global(unsigned* out, const unsigned* next, int steps) {  // one thread, pointer chase; the buffer's size chooses the level
  unsigned p = 0; for (int k = 0; k < steps; k++) p = next[p]; p = p == 0xffffffffu ? 1 : 0; PROBE_BEGIN for (int k = 0; k < steps; k++) p = next[p]; PROBE_END(p)
}
extern "C" __global__ void lat_global_cg(unsigned* out, const unsigned* next, int steps) {  // ld.cg: misses L1 on purpose
  unsigned p = 0; for (int k = 0; k < steps; k++) p = __ldcg(&next[p]); p = p == 0xffffffffu ? 1 : 0; PROBE_BEGIN for (int k = 0; k < steps; k++) p = __ldcg(&next[p]); PROBE_END(p)
}
extern "C" __global__ void lat_global_cold(unsigned* out, const unsigned* next, int steps) {  // no warm-up: DRAM
  unsigned p = 0; PROBE_BEGIN for (int k = 0; k < steps; k++) p = next[p]; PROBE_END(p)
}
extern "C" __global__ void lat_global_atomic(unsigned* out, unsigned* mem, int v) {
  unsigned x = v; mem[threadIdx.x] = 0; PROBE_BEGIN
#pragma unroll
  for (int k = 0; k < 64; k++) x = atomicAdd(&mem[(x & 1) * 32 + threadIdx.x], x & 1); PROBE_END(x)
}
extern "C" __global__ void lat_dsmem(unsigned* out, int steps) {  // one thread of block 0 chases in block 1's shared memory
  __shared__ unsigned s[1024]; for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = ((i + 32) & 1023) * 4;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); unsigned base = (unsigned)__cvta_generic_to_shared(s), remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(base)); unsigned x = 0;
  if (blockIdx.x == 0) { PROBE_BEGIN for (int k = 0; k < steps; k++) asm volatile("{ .reg .u32 a; add.u32 a, %0, %1; ld.shared::cluster.u32 %0, [a]; }" : "+r"(x) : "r"(remote) : "memory"); PROBE_END(x) }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void lat_cp_async(unsigned* out, const uint4* src, int rounds) {  // one 16 B cp.async a thread, waited for at once
  __shared__ uint4 s[32]; unsigned a = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]); PROBE_BEGIN
  for (int k = 0; k < rounds; k++) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 0;" :: "r"(a), "l"(src + threadIdx.x) : "memory"); } PROBE_END(s[threadIdx.x].x)
}
extern "C" __global__ void lat_bulk(unsigned* out, const uint4* src, int rounds, int bytes) {
  __shared__ __align__(128) uint4 s[512]; __shared__ __align__(8) unsigned long long bar; unsigned b = (unsigned)__cvta_generic_to_shared(&bar), a = (unsigned)__cvta_generic_to_shared(s);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(b)); PROBE_BEGIN
  for (int k = 0; k < rounds; k++) { asm volatile("{ .reg .pred p; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, [%0]; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %4; @!p bra W; }" :: "r"(b), "r"(a), "l"(src), "r"(bytes), "r"(k & 1) : "memory"); } PROBE_END(s[0].x)
}
#define RATE(name, op, con) extern "C" __global__ void name(unsigned* out, int seed, float fseed) { int x[8]; float f[8]; for (int j = 0; j < 8; j++) { x[j] = seed + j + threadIdx.x; f[j] = fseed + j + threadIdx.x; } __syncthreads(); PROBE_BEGIN _Pragma("unroll 8") for (int k = 0; k < 64; k++) { _Pragma("unroll") for (int j = 0; j < 8; j++) { op; } } __syncthreads(); unsigned t1 = clock(); float s = 0; for (int j = 0; j < 8; j++) s += x[j] + f[j]; if (threadIdx.x == 0 && blockIdx.x == 0) { out[0] = t1 - t0; out[1] = (unsigned)s; } }
RATE(rate_iadd, asm volatile("add.s32 %0, %0, %1;" : "+r"(x[j]) : "r"(seed)), 0)
RATE(rate_imad, asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x[j]) : "r"(seed)), 0)
RATE(rate_ffma, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[j]) : "f"(fseed)), 0)
RATE(rate_mufu, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[j])), 0)
RATE(rate_popc, asm volatile("popc.b32 %0, %0;" : "+r"(x[j])), 0)
RATE(rate_cvt, asm volatile("{ .reg .s32 t; cvt.rzi.s32.f32 t, %0; cvt.rn.f32.s32 %0, t; }" : "+f"(f[j])), 0)
RATE(rate_dfma, asm volatile("{ .reg .f64 t; cvt.f64.f32 t, %0; fma.rn.f64 t, t, t, t; cvt.rn.f32.f64 %0, t; }" : "+f"(f[j])), 0)
RATE(rate_lop3, asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x[j]) : "r"(seed), "r"(x[(j + 1) & 7])), 0)
RATE(rate_shfl, asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, -1;" : "+r"(x[j]) : "r"(seed)), 0)
RATE(rate_mix, asm volatile("add.s32 %0, %0, %2; fma.rn.f32 %1, %1, %3, %3;" : "+r"(x[j]), "+f"(f[j]) : "r"(seed), "f"(fseed)), 0)

void register_micro() {
#define LAT(k, ...) CASE(#k, "micro", k, "256 dependent instructions, one warp").b(32).out("out", "u32", 2).__VA_ARGS__
  LAT(lat_iadd, i(3)); LAT(lat_imad, i(3)); LAT(lat_lop3, i(3)); LAT(lat_shift, i(1)); LAT(lat_popc, i(3)); LAT(lat_ffma, f(1.5f)); LAT(lat_fadd, f(1.5f)); LAT(lat_dfma, val(1.5, "f64"));
  LAT(lat_mufu_ex2, f(0.5f)); LAT(lat_mufu_rsqrt, f(0.5f)); LAT(lat_sin, f(0.5f)); LAT(lat_hfma2, i(0x3c003c00)); LAT(lat_cvt, i(3)); LAT(lat_shfl, i(3)); LAT(lat_vote, i(3)); LAT(lat_redux, i(3)); LAT(lat_setp_selp, i(3));
  LAT(lat_mul64, val(3ll, "s64")); LAT(lat_bar, i(3)); LAT(lat_membar_cta, i(3)); LAT(lat_mma, i(0x3c003c00));
  CASE("lat_bar_8warps", "micro", lat_bar, "256 barriers of 8 warps").b(256).out("out", "u32", 2).i(3);
  CASE("lat_bar_32warps", "micro", lat_bar, "256 barriers of 32 warps").b(1024).out("out", "u32", 2).i(3);
  CASE("lat_shared", "micro", lat_shared, "256 dependent shared loads").b(1).out("out", "u32", 2).i(32);
  CASE("lat_shared_atomic", "micro", lat_shared_atomic, "128 dependent shared atomics").b(32).out("out", "u32", 2).i(1);
  CASE("lat_l1", "micro", lat_global, "pointer chase in 16 KiB, stride 128 B").b(1).out("out", "u32", 2).in("next", "u32", 4096, "chase", 1, 32).i(128);
  CASE("lat_l2_near", "micro", lat_global_cg, "pointer chase in 64 KiB past L1").b(1).out("out", "u32", 2).in("next", "u32", 16384, "chase", 1, 32).i(512);
  CASE("lat_l2_16m", "micro", lat_global_cg, "pointer chase in 16 MiB past L1, stride 4 KiB").b(1).out("out", "u32", 2).in("next", "u32", 4 << 20, "chase", 1, 1024).i(4096);
  CASE("lat_dram", "micro", lat_global_cold, "cold pointer chase, stride 8 KiB in 64 MiB").b(1).out("out", "u32", 2).in("next", "u32", 16 << 20, "chase", 1, 2048).i(2048);
  CASE("lat_global_atomic", "micro", lat_global_atomic, "64 dependent global atomics").b(32).out("out", "u32", 2).in("mem", "u32", 64, "zero").i(1);
  CASE("lat_dsmem", "micro", lat_dsmem, "256 dependent loads from the neighbour block").g(2).b(32).c(2).out("out", "u32", 2).i(256);
  CASE("lat_cp_async", "micro", lat_cp_async, "64 cp.async waited for at once").b(32).out("out", "u32", 2).in("src", "u32", 1024, "raw", 2).i(64);
  for (int bytes : {256, 2048, 8192}) { std::string n = "lat_bulk_" + std::to_string(bytes); CASE(strdup(n.c_str()), "micro", lat_bulk, "64 bulk copies waited for at once").b(1).out("out", "u32", 2).in("src", "u32", 4096, "raw", 2).i(64).i(bytes); }
#define RT(k) CASE(#k, "micro", k, "512 instructions a warp, 32 warps on one SM").b(1024).out("out", "u32", 2).i(3).f(1.5f)
  RT(rate_iadd); RT(rate_imad); RT(rate_ffma); RT(rate_mufu); RT(rate_popc); RT(rate_cvt); RT(rate_shfl); RT(rate_mix); RT(rate_dfma); RT(rate_lop3);
}
