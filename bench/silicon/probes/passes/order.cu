// SPDX-License-Identifier: Apache-2.0
// Which operations take a pass of shared memory when others go before them, when a store meets a fill, and what
// conflicting accesses of one sub-core take.
#include <cstring>
#include "../harness.cuh"
typedef unsigned u32;
__device__ __forceinline__ u32 sa(const void* p) { return (u32)__cvta_generic_to_shared(p); }
#define ARRIVE asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory")
#define WAIT(k) asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(b), "r"((k) & 1) : "memory")
#define TEST(k) asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%0], %1; }" ::"r"(b), "r"((k) & 1) : "memory")
#define BAR asm volatile("bar.sync 0;" ::: "memory")
#define LDS acc += v[threadIdx.x]
#define STS v[threadIdx.x] = acc
// What a loop does: one name an order.
template <int M> __global__ void order(u32* out, char* in, int n) {
  __shared__ __align__(128) u32 s[4096]; __shared__ __align__(8) uint64_t bar[2]; volatile u32* v = s; u32 acc = 0, b = sa(bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; mbarrier.init.shared::cta.b64 [%2], 1; fence.mbarrier_init.release.cluster;" ::"r"(b), "r"(M == 2 || M == 3 || M == 8 ? blockDim.x : 1), "r"(b + 8));
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (M == 0) { LDS; if (threadIdx.x == 0) ARRIVE; BAR; }
    if (M == 1) { LDS; if (threadIdx.x == 0) ARRIVE; }
    if (M == 2) { LDS; ARRIVE; WAIT(k); }
    if (M == 3) { STS; ARRIVE; WAIT(k); }
    if (M == 4) { LDS; TEST(k); }
    if (M == 5) { LDS; BAR; if (threadIdx.x == 0) ARRIVE; WAIT(k); }
    if (M == 6 || M == 7) {  // bulk copy by one thread behind loads and a barrier (7: without the loads)
      if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, [%0];" ::"r"(b), "r"(sa(s)), "l"(in), "r"(2048) : "memory");
      WAIT(k); if (M == 6) LDS; BAR;
    }
    if (M == 8) { ARRIVE; WAIT(k); }
    if (M == 9) { u32 x; asm volatile("mov.u32 %0, %%laneid;" : "=r"(x)); acc += x; }
    if (M == 10) { u32 x; asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(x)); acc += x; }
    if (M == 11) { u32 x; asm volatile("mov.u32 %0, %%smid;" : "=r"(x)); acc += x + threadIdx.x; }
    if (M == 12) { u32 x; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(x)); acc += x * threadIdx.x; }
    if (M == 13) { u32 x; asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(in + 4 * threadIdx.x) : "memory"); acc += x; }
    if (M == 14) { u32 x; asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(x) : "l"(in + 4 * threadIdx.x) : "memory"); acc += x; }
    if (M == 15) { u32 x; asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(x) : "l"(in + 4 * threadIdx.x) : "memory"); acc += x; }
    if (M == 16) { u32 x; asm volatile("atom.add.relaxed.gpu.u32 %0, [%1], 1;" : "=r"(x) : "l"(in + 4 * threadIdx.x) : "memory"); acc += x; }
    if (M == 17) { if (threadIdx.x == 0) asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
    if (M == 18) { if (threadIdx.x == 0) { u32 x; asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(x) : "l"(in) : "memory"); acc += x; } }
    if (M == 19) { if (threadIdx.x == 0) { u32 x; asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(x) : "l"(in) : "memory"); acc += x; } BAR; }
    if (M == 20) { acc += __reduce_add_sync(~0u, acc + k); }
    if (M == 21) { if (threadIdx.x == 0) atomicAdd((u32*)in, acc); }
    if (M == 22) { acc += __ldcg((u32*)in + threadIdx.x); if (threadIdx.x == 0) ARRIVE; }
  }
  if (acc == 12345) out[0] = acc;
}
// Loads of lines and stores to shared memory, `per` in a row; D: the stores wait for the loads.
template <int PER, bool D> __global__ void meets(u32* out, const u32* in, int n, int lines) {
  __shared__ u32 s[1024]; volatile u32* v = s; u32 acc = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    u32 x[PER];
#pragma unroll
    for (int j = 0; j < PER; j++) x[j] = __ldcg(in + ((size_t)(blockIdx.x * n + k) * PER + j) % lines * 256 + threadIdx.x % 256);
#pragma unroll
    for (int j = 0; j < PER; j++) v[threadIdx.x % 1024] = D ? x[j] : k + j;
#pragma unroll
    for (int j = 0; j < PER; j++) acc += x[j];
  }
  if (acc == 12345) out[0] = acc;
}
// Loads (or stores) of `way` lanes a bank by the warps of `mask`; cycles of n times two of them.
template <bool ST> __global__ void degree(u32* out, int n, int way, u32 mask) {
  __shared__ u32 s[8192]; for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = i & 0; __syncthreads();
  u32 w = threadIdx.x / 32, lane = threadIdx.x % 32, a = sa(s) + (lane * way % 1024) * 4 + (lane * way / 1024) * 4, t0 = 0, t1 = 0;
  for (int round = 0; round < 2; round++) {
    __syncthreads();
    if (mask >> w & 1) {
      t0 = now();
#pragma unroll 1
      for (int k = 0; k < n; k++) {
        if (ST) asm volatile("st.shared.u32 [%0], %1; st.shared.u32 [%0+4], %1;" ::"r"(a), "r"(k) : "memory");
        else { u32 x, y; asm volatile("ld.shared.u32 %0, [%2]; ld.shared.u32 %1, [%2+4];" : "=r"(x), "=r"(y) : "r"(a) : "memory"); a += x + y; }
      }
      t1 = now();
    }
  }
  if (lane == 0) out[blockIdx.x * 32 + w] = t1 - t0;
}
// reduce_interleaved with a clock behind each step: warp 0 and warp 15 of each block.
__global__ void __launch_bounds__(512) steps(u32* out, float* sums, const float* in) {
  __shared__ float s[512]; int t = threadIdx.x; u32 c[12]; c[0] = now(); s[t] = in[blockIdx.x * 512 + t]; __syncthreads(); c[1] = now();
#pragma unroll
  for (int j = 0; j < 9; j++) { int k = 1 << j; int i = 2 * k * t; if (i < 512) s[i] += s[i + k]; __syncthreads(); c[2 + j] = now(); }
  if (t == 0) sums[blockIdx.x] = s[0];
  u32 sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); c[11] = sm;
  if (t == 0 || t == 480) for (int j = 0; j < 12; j++) out[(blockIdx.x * 2 + (t != 0)) * 12 + j] = c[j];
}
// fences: cycles of n of them and stores in front, 1 to 16 warps
template <int M> __global__ void fence_time(u32* out, int n) {
  __shared__ u32 s[1024]; volatile u32* v = s; u32 acc = threadIdx.x; v[threadIdx.x] = acc; __syncthreads(); u32 t0 = now();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (M & 1) v[threadIdx.x] = acc + k;
    if (M & 2) asm volatile("fence.acq_rel.cta;" ::: "memory"); else asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (M & 4) BAR;
  }
  u32 t1 = now(); if (threadIdx.x % 32 == 0) out[blockIdx.x * 32 + threadIdx.x / 32] = t1 - t0;
}
static u32 host[65536];
int main(int argc, char** argv) {
  bool times = argc > 1 && !strcmp(argv[1], "times");
  u32* out; char* in; OK(cudaMalloc(&out, 8 << 20)); OK(cudaMalloc(&in, 256 << 20)); OK(cudaMemset(in, 0, 256 << 20)); OK(cudaMemset(out, 0, 8 << 20));
  if (!times) {
#define O(M) printf("order mode %d\n", M); order<M><<<132, 256>>>(out, in, 64);
    O(0) O(1) O(2) O(3) O(4) O(5) O(6) O(7) O(8) O(9) O(10) O(11) O(12) O(13) O(14) O(15) O(16) O(17) O(18) O(19) O(20) O(21) O(22)
#define T(P, D) for (int b : {132, 264, 528, 1056}) for (int l : {64, 65536}) { printf("meets per %d dependent %d blocks %d lines %d\n", P, D, b, l); meets<P, D><<<b, 256>>>(out, (u32*)in, 32, l); }
    T(1, false) T(1, true) T(4, true) T(8, true)
#define F(M) for (int t : {256, 512}) { printf("fence_time mode %d threads %d\n", M, t); fence_time<M><<<132, t>>>(out, 64); }
    F(1) F(2) F(3) F(5) F(7)
    OK(cudaDeviceSynchronize()); return 0;
  }
  for (int rep = 0; rep < 3; rep++) {
#define D(ST) for (int way : {1, 2, 4, 8, 16, 32}) for (u32 mask : {1u, 0x11u, 0x3u, 0xfu, 0xffu}) { degree<ST><<<1, 256>>>(out, 64, way, mask); OK(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost)); printf("degree store %d way %d warps %x cycles", ST, way, mask); for (int w = 0; w < 8; w++) if (mask >> w & 1) printf(" %u", host[w]); printf("\n"); }
    D(false) D(true)
    for (int blocks : {132, 528, 1024}) {
      steps<<<blocks, 512>>>(out, (float*)(out + (1 << 18)), (float*)in); OK(cudaMemcpy(host, out, blocks * 96, cudaMemcpyDeviceToHost));
      for (int b = 0; b < blocks; b++) for (int w = 0; w < 2; w++) { u32* c = host + (b * 2 + w) * 12; if (c[11] > 1) continue; printf("steps blocks %d block %d warp %d sm %u at %u:", blocks, b, w * 15, c[11], c[0]); for (int j = 1; j < 11; j++) printf(" %u", c[j] - c[j - 1]); printf("\n"); }
    }
#define G(M) for (int t : {32, 128, 256, 512}) { fence_time<M><<<1, t>>>(out, 64); OK(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost)); printf("fence_time mode %d threads %d cycles", M, t); for (int w = 0; w < t / 32; w++) printf(" %u", host[w]); printf("\n"); }
    G(0) G(1) G(2) G(3) G(5) G(7)
  }
  return 0;
}
