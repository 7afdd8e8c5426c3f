// SPDX-License-Identifier: Apache-2.0
// Barriers, fences, branches, calls, mbarriers, asynchronous copies, clusters.
#include "probe.cuh"

OP(BarSync, asm volatile("bar.sync 0;" ::: "memory"))
OP(BarSyncTwice, asm volatile("bar.sync 1;\n bar.sync 2;" ::: "memory"))
OP(BarArriveSync, asm volatile("bar.red.popc.u32 %0, 1, 1;" : "=r"(s.r[0])::"memory"))
OP(FenceCta, asm volatile("fence.acq_rel.cta;" ::: "memory"))
OP(FenceGpu, asm volatile("fence.acq_rel.gpu;" ::: "memory"))
OP(FenceSys, asm volatile("fence.acq_rel.sys;" ::: "memory"))
OP(FenceScGpu, asm volatile("fence.sc.gpu;" ::: "memory"))
OP(FenceCluster, asm volatile("fence.acq_rel.cluster;" ::: "memory"))
OP(FenceAsync, asm volatile("fence.proxy.async.shared::cta;" ::: "memory"))
OP(StFenceGpu, asm volatile("st.global.b32 [%0], %1; fence.acq_rel.gpu;" ::"l"(s.global + 128 * s.lane), "r"(s.lane) : "memory"))
OP(StsFenceCta, asm volatile("st.shared.b32 [%0], %1; fence.acq_rel.cta;" ::"r"(s.shared + 4 * s.lane), "r"(s.lane) : "memory"))
OP(LdAcquire, asm volatile("{ .reg .s32 v; .reg .s64 w; ld.acquire.gpu.global.b32 v, [%0]; and.b32 v, v, 0; cvt.s64.s32 w, v; add.s64 %0, %0, w; }" : "+l"(s.global)::"memory"))
OP(AtomGlobal, asm volatile("{ .reg .b32 v; atom.global.add.u32 v, [%1], 1; and.b32 v, v, 1; add.s32 %0, %0, v; }" : "+r"(s.r[0]) : "l"(s.global + 4 * s.lane) : "memory"))
OP(Nanosleep, asm volatile("nanosleep.u32 0;" ::: "memory"))
OP(Elect, asm volatile("{ .reg .pred p; elect.sync %0|p, -1; }" : "=r"(s.r[0])))

// A counted loop, not unrolled. Parameter: iterations; the cost of one in the difference of two parameters.
struct Loop : Plain {
  static __device__ __forceinline__ void prepare(State& s, int n) { s.r[7] = n; }
  static __device__ __forceinline__ void run(State& s, int) {
#pragma unroll 1
    for (int i = 0; i < s.r[7]; ++i) asm volatile("add.s32 %0, %0, %1;" : "+r"(s.r[0]) : "r"(s.lane));
  }
};
// Two-way branches. Parameter: lanes that take the first side (32 and 0: no divergence).
template <int Body>
struct Diverge : Plain {
  static __device__ __forceinline__ void prepare(State& s, int n) { s.r[7] = n; }
  static __device__ __forceinline__ void run(State& s, int k) {
    if ((int)s.lane < s.r[7]) {
#pragma unroll
      for (int i = 0; i < Body; ++i) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(s.r[0]) : "r"(s.lane), "r"(k));
    } else {
#pragma unroll
      for (int i = 0; i < Body; ++i) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(s.r[0]) : "r"(s.warp), "r"(k));
    }
    asm volatile("" ::: "memory");
  }
};
// A switch of eight cases by data. Parameter: distinct cases among the lanes.
struct Switch8 : Plain {
  static __device__ __forceinline__ void prepare(State& s, int n) { s.r[7] = s.lane % n; }
  static __device__ __forceinline__ void run(State& s, int k) {
    switch (s.r[7]) {
#define SIDE(n) case n: for (int i = 0; i < 8 + n; ++i) asm volatile("mad.lo.s32 %0, %0, %1, " #n ";" : "+r"(s.r[0]) : "r"(s.lane)); break;
      SIDE(0) SIDE(1) SIDE(2) SIDE(3) SIDE(4) SIDE(5) SIDE(6) SIDE(7)
    }
    asm volatile("" ::: "memory");
  }
};
__device__ __noinline__ int called(int x) { asm volatile("mad.lo.s32 %0, %0, %0, 1;" : "+r"(x)); return x; }
__device__ __noinline__ int called2(int x) { asm volatile("mad.lo.s32 %0, %0, %0, 2;" : "+r"(x)); return x; }
__device__ __noinline__ int called3(int x) { asm volatile("mad.lo.s32 %0, %0, %0, 3;" : "+r"(x)); return x; }
__device__ __noinline__ int called4(int x) { asm volatile("mad.lo.s32 %0, %0, %0, 4;" : "+r"(x)); return x; }
OP(Call, s.r[0] = called(s.r[0]))
typedef int (*Function)(int);
__device__ Function functions[4] = {called, called2, called3, called4};
// Parameter: distinct functions among the lanes.
struct Indirect : Plain {
  static __device__ __forceinline__ void prepare(State& s, int n) { s.r[7] = s.lane % n; s.l[0] = (long long)functions[s.r[7]]; }
  static __device__ __forceinline__ void run(State& s, int) { s.r[0] = ((Function)s.l[0])(s.r[0]); }
};

struct Mbarrier : Plain {
  static __device__ __forceinline__ void prepare(State& s, int count) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s.shared), "r"(count) : "memory");
    __syncthreads();
  }
};
struct MbarArrive : Mbarrier { static __device__ __forceinline__ void run(State& s, int) { asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(s.shared) : "memory"); } };
struct MbarArriveWait : Mbarrier {  // every thread of the block arrives, and waits
  static __device__ __forceinline__ void run(State& s, int) {
    asm volatile("{ .reg .b64 t; .reg .pred p; mbarrier.arrive.shared::cta.b64 t, [%0];\n W: mbarrier.try_wait.shared::cta.b64 p, [%0], t; @!p bra W; }" ::"r"(s.shared) : "memory");
  }
};
struct MbarTest : Mbarrier {
  static __device__ __forceinline__ void run(State& s, int) {
    asm volatile("{ .reg .pred p; .reg .b32 v; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 1; selp.b32 v, 1, 0, p; add.s32 %0, %0, v; }" : "+r"(s.r[0]) : "r"(s.shared) : "memory");
  }
};

// cp.async of 4, 8, 16 bytes a lane, waited for at once. Parameter: groups in flight before the wait.
template <int Bytes>
struct CpAsync : Plain {
  static __device__ __forceinline__ void prepare(State& s, int) { s.shared += (s.warp * 32 + s.lane) * Bytes; s.global += (s.warp * 32 + s.lane) * Bytes; }
  static __device__ __forceinline__ void run(State& s, int) {
    if (Bytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 0;" ::"r"(s.shared), "l"(s.global) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2; cp.async.commit_group; cp.async.wait_group 0;" ::"r"(s.shared), "l"(s.global), "n"(Bytes) : "memory");
  }
};
struct CpAsyncMany : CpAsync<16> {  // issued back to back, one wait at the end
  static __device__ __forceinline__ void run(State& s, int k) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s.shared), "l"(s.global + (k & 7) * 16384) : "memory"); }
  static __device__ __forceinline__ void finish(State&) { asm volatile("cp.async.wait_all;" ::: "memory"); }
};

// Bulk copies by one thread. Parameter: bytes.
struct BulkBase : Plain {
  static __device__ __forceinline__ void prepare(State& s, int bytes) {
    s.r[6] = bytes;
    s.r[5] = s.shared + 49152;
    s.r[4] = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(s.r[5]) : "memory");
    __syncthreads();
  }
};
__device__ __forceinline__ void wait_phase(State& s) {
  asm volatile("{ .reg .pred p;\n W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(s.r[5]), "r"(s.r[4]) : "memory");
  s.r[4] ^= 1;
}
struct BulkLoad : BulkBase {
  static __device__ __forceinline__ void run(State& s, int) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%2], [%3], %1, [%0];" ::"r"(s.r[5]), "r"(s.r[6]), "r"(s.shared), "l"(s.global) : "memory");
      wait_phase(s);
    }
  }
};
struct BulkLoad4 : BulkBase {  // four copies of a quarter each
  static __device__ __forceinline__ void run(State& s, int) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s.r[5]), "r"(s.r[6]) : "memory");
#pragma unroll
      for (int q = 0; q < 4; ++q)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], %3, [%0];" ::"r"(s.r[5]), "r"(s.shared + q * s.r[6] / 4), "l"(s.global + q * s.r[6] / 4), "r"(s.r[6] / 4) : "memory");
      wait_phase(s);
    }
  }
};
struct BulkStore : BulkBase {
  static __device__ __forceinline__ void run(State& s, int) {
    if (threadIdx.x == 0)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(s.global), "r"(s.shared), "r"(s.r[6]) : "memory");
  }
};
struct BulkStoreRead : BulkBase {
  static __device__ __forceinline__ void run(State& s, int) {
    if (threadIdx.x == 0)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::"l"(s.global), "r"(s.shared), "r"(s.r[6]) : "memory");
  }
};

// Clusters: every block runs; times are those of block 0. Launched apart, see cluster_probe.
template <class Op, int N>
__global__ void clustered(unsigned* out, int target) {
  State s;
  s.lane = threadIdx.x & 31, s.warp = threadIdx.x >> 5;
  s.shared = (unsigned)__cvta_generic_to_shared(dynamic_shared);
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) ((unsigned*)dynamic_shared)[i] = 0;
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s.shared), "r"(target));
  s.r[0] = remote + (s.warp * 32 + s.lane) * 4;
  s.r[1] = remote;
  unsigned t0 = 0, t1 = 0;
  for (int round = 0; round < 3; ++round) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    t0 = now();
    if (Op::kAll || blockIdx.x == 0)
#pragma unroll
      for (int k = 0; k < N; ++k) Op::run(s, k);
    t1 = now();
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (blockIdx.x == 0 && s.lane == 0) out[s.warp * 4] = t0, out[s.warp * 4 + 1] = t1;
  out[512 + blockIdx.x * blockDim.x + threadIdx.x] = s.r[0];
}
struct ClusterBarrier { static constexpr bool kAll = true; static __device__ __forceinline__ void run(State&, int) { asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); } };
struct ClusterBarrierRelaxed { static constexpr bool kAll = true; static __device__ __forceinline__ void run(State&, int) { asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory"); } };
struct RemoteLoad { static constexpr bool kAll = false; static __device__ __forceinline__ void run(State& s, int) { asm volatile("{ .reg .b32 v; ld.shared::cluster.b32 v, [%0]; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"); } };
struct RemoteAtomic { static constexpr bool kAll = false; static __device__ __forceinline__ void run(State& s, int) { asm volatile("{ .reg .b32 v; atom.shared::cluster.add.u32 v, [%0], 0; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"); } };
struct RemoteLoadRate { static constexpr bool kAll = false; static __device__ __forceinline__ void run(State& s, int k) { asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(s.r[2 + (k & 3)]) : "r"(s.r[0]) : "memory"); } };
struct RemoteStoreRate { static constexpr bool kAll = false; static __device__ __forceinline__ void run(State& s, int k) { asm volatile("st.shared::cluster.b32 [%0], %1;" :: "r"(s.r[0]), "r"(k) : "memory"); } };
struct RemoteAtomicRate { static constexpr bool kAll = false; static __device__ __forceinline__ void run(State& s, int k) { asm volatile("red.shared::cluster.add.u32 [%0], %1;" :: "r"(s.r[0]), "r"(k) : "memory"); } };
template <class Op, int N>
unsigned cluster_measure(int size, int warps, int target) {
  OK(cudaFuncSetAttribute(clustered<Op, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  OK(cudaFuncSetAttribute(clustered<Op, N>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  unsigned best = ~0u;
  for (int i = 0; i < 5; ++i) {
    cudaLaunchConfig_t c = {};
    c.gridDim = size, c.blockDim = warps * 32, c.dynamicSmemBytes = 65536;
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = size, a[0].val.clusterDim.y = 1, a[0].val.clusterDim.z = 1;
    c.attrs = a, c.numAttrs = 1;
    OK(cudaLaunchKernelEx(&c, clustered<Op, N>, d_out, target));
    OK(cudaDeviceSynchronize());
    unsigned t[128];
    OK(cudaMemcpy(t, d_out, sizeof t, cudaMemcpyDeviceToHost));
    unsigned begin = t[0], end = 0;
    for (int w = 0; w < warps; ++w) begin = std::min(begin, t[w * 4]);
    for (int w = 0; w < warps; ++w) end = std::max(end, t[w * 4 + 1] - begin);
    best = std::min(best, end);
  }
  return best;
}
template <class Op>
void cluster_probe(const char* name, std::vector<int> sizes, std::vector<int> warps, std::vector<int> targets = {1}) {
  for (int size : sizes)
    for (int target : targets)
      for (int w : warps) {
        if (target >= size) continue;
        const unsigned a = cluster_measure<Op, 16>(size, w, target), b = cluster_measure<Op, 48>(size, w, target);
        std::printf("%s,%d/%d,%d,%u,%u,%.3f\n", name, size, target, w, a, b, double(b - a) / 32);
      }
  std::fflush(stdout);
}

void synchronisation() {
  probe<BarSync>("BarSync", {1, 2, 4, 8, 12, 16, 24, 32});
  probe<BarArriveSync>("BarRed", {1, 8, 32});
  for (auto run : {+[] { probe<FenceCta>("FenceCta"); }, +[] { probe<FenceGpu>("FenceGpu", {1, 8}); }, +[] { probe<FenceSys>("FenceSys"); },
                   +[] { probe<FenceScGpu>("FenceScGpu"); }, +[] { probe<FenceCluster>("FenceCluster"); }, +[] { probe<FenceAsync>("FenceAsync"); },
                   +[] { probe<StFenceGpu>("StFenceGpu", {1, 8}); }, +[] { probe<StsFenceCta>("StsFenceCta", {1, 8}); },
                   +[] { probe<LdAcquire>("LdAcquire"); }, +[] { probe<AtomGlobal>("AtomGlobal"); }, +[] { probe<Nanosleep>("Nanosleep0"); }, +[] { probe<Elect>("Elect"); }})
    run();
  probe<Loop, 1, 3>("Loop", {1, 4, 16}, {16, 80});
  probe<Diverge<1>, 8, 24>("Diverge1", {1}, {0, 16, 32});
  probe<Diverge<4>, 8, 24>("Diverge4", {1}, {0, 16, 32});
  probe<Diverge<16>, 8, 24>("Diverge16", {1, 4}, {0, 1, 16, 32});
  probe<Switch8, 4, 12>("Switch8", {1, 4}, {1, 2, 4, 8});
  probe<Call>("Call", {1, 4});
  probe<Indirect>("Indirect", {1, 4}, {1, 2, 4});
  probe<MbarArrive>("MbarArrive", {1, 8}, {1 << 19});
  probe<MbarArriveWait>("MbarArriveWait1", {1}, {32});
  probe<MbarArriveWait>("MbarArriveWait8", {8}, {256});
  probe<MbarArriveWait>("MbarArriveWait32", {32}, {1024});
  probe<MbarTest>("MbarTest", {1}, {32});
  probe<CpAsync<4>>("CpAsync4"); probe<CpAsync<8>>("CpAsync8"); probe<CpAsync<16>>("CpAsync16", {1, 8});
  probe<CpAsyncMany>("CpAsyncMany16", {1, 8, 16});
  const std::vector<int> sizes = {16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  probe<BulkLoad, 8, 24>("BulkLoad", {1}, sizes);
  probe<BulkLoad4, 8, 24>("BulkLoad4", {1}, {64, 1024, 8192, 32768});
  probe<BulkStore, 8, 24>("BulkStore", {1}, sizes);
  probe<BulkStoreRead, 8, 24>("BulkStoreRead", {1}, sizes);
  cluster_probe<ClusterBarrier>("ClusterBarrier", {1, 2, 4, 8, 16}, {1, 8}, {0});
  cluster_probe<ClusterBarrierRelaxed>("ClusterBarrierRelaxed", {2, 8}, {1}, {0});
  cluster_probe<RemoteLoad>("RemoteLoad", {2, 4, 8, 16}, {1}, {0, 1, 3, 7, 15});
  cluster_probe<RemoteAtomic>("RemoteAtomic", {2, 8}, {1}, {0, 1, 7});
  cluster_probe<RemoteLoadRate>("RemoteLoadRate", {2, 8}, {1, 4, 16}, {1});
  cluster_probe<RemoteStoreRate>("RemoteStoreRate", {2, 8}, {1, 4, 16}, {1});
  cluster_probe<RemoteAtomicRate>("RemoteAtomicRate", {2}, {1, 4, 16}, {1});
}
