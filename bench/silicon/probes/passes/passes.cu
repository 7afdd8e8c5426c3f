// SPDX-License-Identifier: Apache-2.0
// What counts as a pass of shared memory without being an access: barriers, fences, bulk copies, remote atomics.
#include "../harness.cuh"
typedef unsigned u32;
__device__ __forceinline__ u32 sa(const void* p) { return (u32)__cvta_generic_to_shared(p); }
// --- barriers: K of them, MODE 0 nothing, 1 STS before each, 2 LDS before each, 3 STS by warp 0 alone, 4 LDG before each, 5 STS, `pause` cycles of arithmetic
template <int MODE> __global__ void bars(u32* out, int n, int pause) {
  __shared__ u32 s[1024]; volatile u32* v = s; u32 acc = threadIdx.x; v[threadIdx.x] = acc; __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (MODE == 1 || MODE == 5) v[threadIdx.x] = acc;
    if (MODE == 2) acc += v[threadIdx.x];
    if (MODE == 3 && threadIdx.x < 32) v[threadIdx.x] = acc;
    if (MODE == 4) acc += __ldcg(out + threadIdx.x);
    if (MODE == 5) { float f = acc; for (int j = 0; j < pause; j++) f = f * f + 1.0f; acc += f; }
    asm volatile("bar.sync 0;" ::: "memory");
  }
  if (acc == 12345) out[0] = acc;
}
// --- proxy fences: MODE 0 alone, 1 with STS before, 2 membar.cta with STS
template <int MODE> __global__ void fences(u32* out, int n) {
  __shared__ u32 s[1024]; volatile u32* v = s; u32 acc = threadIdx.x; v[threadIdx.x] = acc;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (MODE >= 1) v[threadIdx.x] = acc + k;
    if (MODE == 2) asm volatile("fence.acq_rel.cta;" ::: "memory"); else asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  if (acc == 12345) out[0] = acc;
}
// --- bulk stores of `bytes` by thread 0
__global__ void bulkst(char* out, int n, int bytes) {
  __shared__ __align__(128) u32 s[8192]; s[threadIdx.x] = threadIdx.x; asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int k = 0; k < n; k++) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::"l"(out + (size_t)blockIdx.x * 32768), "r"(sa(s)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
// --- bulk loads; thread 0 alone waits, or everybody
template <bool ALL> __global__ void bulkld(u32* out, const char* in, int n, int bytes) {
  __shared__ __align__(128) u32 s[8192]; __shared__ __align__(8) uint64_t bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(sa(&bar)));
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, [%0];" ::"r"(sa(&bar)), "r"(sa(s)), "l"(in), "r"(bytes) : "memory");
    if (ALL || threadIdx.x == 0) asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(sa(&bar)), "r"(k & 1) : "memory");
    if (ALL) asm volatile("bar.sync 0;" ::: "memory");
  }
  if (threadIdx.x == 7777) out[0] = s[5];
}
// --- mbarrier arrivals by all threads
__global__ void arrives(u32* out, int n) {
  __shared__ __align__(8) uint64_t bar;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sa(&bar)), "r"(blockDim.x));
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sa(&bar)) : "memory");
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(sa(&bar)), "r"(k & 1) : "memory");
  }
}
// --- cp.async: n groups of one 16-byte copy
__global__ void cpasync(u32* out, const uint4* in, int n) {
  __shared__ uint4 s[1024];
#pragma unroll 1
  for (int k = 0; k < n; k++) asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 0;" ::"r"(sa(&s[threadIdx.x])), "l"(in + threadIdx.x) : "memory");
}
// --- fills against shared passes: LDG misses streaming, with MODE 0 nothing, 1 SHFL, 2 LDS, 3 STS (independent), 4 STS of what was loaded
template <int MODE> __global__ void fills(u32* out, const u32* in, int n) {
  __shared__ u32 s[1024]; volatile u32* v = s; v[threadIdx.x] = threadIdx.x; __syncthreads(); u32 acc = 0;
#pragma unroll 4
  for (int k = 0; k < n; k++) {
    u32 x = __ldg(in + ((size_t)blockIdx.x * n + k) * 256 + threadIdx.x);
    if (MODE == 1) acc += __shfl_xor_sync(~0u, acc + k, 1);
    if (MODE == 2) acc += v[threadIdx.x];
    if (MODE == 3) v[threadIdx.x] = k;
    if (MODE == 4) v[threadIdx.x] = x;
    acc += x;
  }
  if (acc == 12345) out[0] = acc;
}
// --- remote atomics and accesses in clusters of 2: lanes of a warp, `same` words
template <int MODE> __global__ void __cluster_dims__(2) remote(u32* out, int n, int mask, int to) {
  __shared__ u32 s[1024]; s[threadIdx.x] = 0; asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  u32 rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); u32 a; asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(sa(&s[threadIdx.x & mask])), "r"(to == 2 ? (rank ^ 1) : to == 3 ? (threadIdx.x & 1) : rank)); u32 acc = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    if (MODE == 0) asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(a) : "memory");
    if (MODE == 1) asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(a), "r"(k) : "memory");
    if (MODE == 2) { u32 x; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(a) : "memory"); acc += x; }
    if (MODE == 3) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(a), "r"(k) : "memory");
    if (MODE == 4) { u32 x; asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(a) : "memory"); acc += x; }
  }
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory"); if (acc == 12345) out[0] = acc;
}
int main() {
  u32* out; char* in; OK(cudaMalloc(&out, 64 << 20)); OK(cudaMalloc(&in, 256 << 20)); OK(cudaMemset(in, 0, 256 << 20));
#define L(name, ...) printf("%s\n", #name " " #__VA_ARGS__)
#define BARS(M, P) for (int b : {132, 264, 528}) { printf("bars mode %d blocks %d pause %d n 64\n", M, b, P); bars<M><<<b, 256>>>(out, 64, P); }
  BARS(0, 0) BARS(1, 0) BARS(2, 0) BARS(3, 0) BARS(4, 0) BARS(5, 20) BARS(5, 200)
  for (int b : {132, 264}) for (int t : {32, 256}) {
    printf("fences 0 blocks %d threads %d n 64\n", b, t); fences<0><<<b, t>>>(out, 64);
    printf("fences 1 blocks %d threads %d n 64\n", b, t); fences<1><<<b, t>>>(out, 64);
    printf("fences 2 blocks %d threads %d n 64\n", b, t); fences<2><<<b, t>>>(out, 64);
  }
  for (int bytes : {128, 1024, 4096, 16384}) { printf("bulkst blocks 132 threads 256 n 16 bytes %d\n", bytes); bulkst<<<132, 256>>>((char*)out, 16, bytes); }
  for (int bytes : {128, 4096, 16384}) { printf("bulkld one blocks 132 threads 256 n 16 bytes %d\n", bytes); bulkld<false><<<132, 256>>>(out, in, 16, bytes);
    printf("bulkld all blocks 132 threads 256 n 16 bytes %d\n", bytes); bulkld<true><<<132, 256>>>(out, in, 16, bytes);
    printf("bulkld all blocks 264 threads 256 n 16 bytes %d\n", bytes); bulkld<true><<<264, 256>>>(out, in, 16, bytes); }
  printf("arrives blocks 132 threads 256 n 64\n"); arrives<<<132, 256>>>(out, 64);
  printf("arrives blocks 132 threads 32 n 64\n"); arrives<<<132, 32>>>(out, 64);
  for (int t : {32, 256, 1024}) { printf("cpasync blocks 132 threads %d n 64\n", t); cpasync<<<132, t>>>(out, (uint4*)in, 64); }
#define FILLS(M) for (int b : {132, 1056}) { printf("fills mode %d blocks %d n 64\n", M, b); fills<M><<<b, 256>>>(out, (u32*)in, 64); }
  FILLS(0) FILLS(1) FILLS(2) FILLS(3) FILLS(4)
  for (int m : {1023, 7, 0}) for (int to : {1, 2, 3}) {
    printf("remote red1 mask %d to %d n 64 t 128\n", m, to); remote<0><<<132, 128>>>(out, 64, m, to);
    printf("remote redk mask %d to %d n 64 t 128\n", m, to); remote<1><<<132, 128>>>(out, 64, m, to);
    printf("remote ld mask %d to %d n 64 t 128\n", m, to); remote<2><<<132, 128>>>(out, 64, m, to);
    printf("remote st mask %d to %d n 64 t 128\n", m, to); remote<3><<<132, 128>>>(out, 64, m, to);
    printf("remote atom1 mask %d to %d n 64 t 128\n", m, to); remote<4><<<132, 128>>>(out, 64, m, to);
  }
  OK(cudaDeviceSynchronize()); return 0;
}
