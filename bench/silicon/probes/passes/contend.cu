// SPDX-License-Identifier: Apache-2.0
// Who waits for whom at the data stage: warps of role A run accesses of `way` lanes a bank, warps of role B another operation,
// both from the same clock on. Cycles of each warp's loop.
#include "../harness.cuh"
typedef unsigned u32;
__device__ __forceinline__ u32 sa(const void* p) { return (u32)__cvta_generic_to_shared(p); }
enum { LDS, LDSOFF, STS, STSOFF, SHFL, MEMBAR, BARW, ATOMS, LDGHIT, SHFLDEP, LDSDEP, LDSOFFDEP, LDS64, LDS128, RMW, NB };
static const char* names[] = {"lds", "lds_off", "sts", "sts_off", "shfl", "membar", "bar_warp", "atoms", "ldg_hit", "shfl_dep", "lds_dep", "lds_off_dep", "lds64", "lds128", "rmw"};
template <int B> __device__ __forceinline__ void op(u32 a, u32 off, u32& x, const u32* g, u32 w) {
  if (B == LDS) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(a) : "memory");
  if (B == LDSOFF) asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.shared.u32 %0, [%1]; }" : "+r"(x) : "r"(a), "r"(off) : "memory");
  if (B == STS) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(a), "r"(w) : "memory");
  if (B == STSOFF) asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.volatile.shared.u32 [%0], %1; }" ::"r"(a), "r"(w), "r"(off) : "memory");
  if (B == SHFL) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
  if (B == SHFLDEP) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));

  if (B == MEMBAR) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (B == BARW) asm volatile("bar.sync %0, 32;" ::"r"(w + 1) : "memory");
  if (B == ATOMS) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(a) : "memory");
  if (B == LDGHIT) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(g + x) : "memory");
  if (B == LDSDEP) { asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(a + x) : "memory"); }
  if (B == LDSOFFDEP) { asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.volatile.shared.u32 %0, [%1]; }" : "+r"(x) : "r"(a), "r"(off + x) : "memory"); }
  if (B == LDS64) { u32 y; asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(a) : "memory"); }
  if (B == LDS128) { u32 y, z, v; asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(v) : "r"(a) : "memory"); }
  if (B == RMW) { u32 y; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(y) : "r"(a) : "memory"); asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(a), "r"(y + w) : "memory"); }
}
template <int A, int B> __global__ void contend(u32* out, const u32* g, int na, int nb, int way, u32 ma, u32 mb, u32 off) {
  __shared__ __align__(128) u32 s[8192]; for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0; __syncthreads();
  u32 w = threadIdx.x / 32, lane = threadIdx.x % 32, x, t0 = 0, t1 = 0;
  u32 xs[4]; for (int j = 0; j < 4; j++) xs[j] = B == LDSDEP || B == LDSOFFDEP || B == LDGHIT ? 0 : lane + j; u32 aa = sa(s) + (lane * way % 1024) * 4 + (lane * way / 1024) * 4, ab = sa(s) + 16384 + w * 512 + lane * (B == LDS128 ? 16 : B == LDS64 ? 8 : 4);
  const u32* gl = g + w * 32 + lane;
  for (int round = 0; round < 2; round++) {
    __syncthreads();
    if (ma >> w & 1) {
      t0 = now();
#pragma unroll 1
      for (int k = 0; k < na; k += 4) { _Pragma("unroll") for (int j = 0; j < 4; j++) op<A>(aa, off, A == SHFLDEP || A == LDSDEP || A == LDSOFFDEP ? xs[0] : xs[j], gl + j * 256, w); }
      t1 = now();
    } else if (mb >> w & 1) {
      t0 = now();
#pragma unroll 1
      for (int k = 0; k < nb; k += 4) { _Pragma("unroll") for (int j = 0; j < 4; j++) op<B>(ab, off, B == SHFLDEP || B == LDSDEP || B == LDSOFFDEP ? xs[0] : xs[j], gl + j * 256, w); }
      t1 = now();
    }
  }
  if (lane == 0) out[w] = t1 - t0;
  x = xs[0] + xs[1] + xs[2] + xs[3]; if (x == 12345) out[100] = x;
}
static u32 host[128];
static u32 *out, *g;
template <int A, int B> int one(int na, int nb, int way, u32 ma, u32 mb) {
  u32 least[32]; for (auto& v : least) v = ~0u;
  for (int rep = 0; rep < 5; rep++) {
    contend<A, B><<<1, 512>>>(out, g, na, nb, way, ma, mb, 0); OK(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost));
    for (int w = 0; w < 16; w++) if (host[w] < least[w]) least[w] = host[w];
  }
  printf("contend %s x%d way %d warps %x | %s x%d warps %x | A", names[A], na, way, ma, names[B], nb, mb);
  for (int w = 0; w < 16; w++) if (ma >> w & 1) printf(" %u", least[w]);
  printf(" | B"); for (int w = 0; w < 16; w++) if (!(ma >> w & 1) && mb >> w & 1) printf(" %u", least[w]);
  printf("\n"); return 0;
}
template <int B> void all() {
  one<LDS, B>(64, 256, 1, 0, 0x2);          // alone: one warp
  one<LDS, B>(64, 256, 1, 0, 0xf0);         // a warp of each sub-core
  one<LDS, B>(64, 256, 1, 0, 0x1110);       // three warps of one sub-core
  for (int way : {2, 8, 32}) {
    int na = way == 2 ? 1024 : way == 8 ? 512 : 256;
    one<LDS, B>(na, 256, way, 0x1, 0x10);   // same sub-core
    one<LDS, B>(na, 256, way, 0x1, 0x20);   // another
    one<LDS, B>(na, 256, way, 0xf, 0x20);   // the stage is full
    one<LDS, B>(na, 256, way, 0xf, 0xf0);
    one<LDS, B>(na, 1024, way, 0xf, 0xf0);
    one<STS, B>(na, 256, way, 0xf, 0x20);
    one<STS, B>(na, 256, way, 0xf, 0xf0);
  }
  fflush(stdout);
}
int main() {
  OK(cudaMalloc(&out, 1 << 20)); OK(cudaMalloc(&g, 1 << 20)); OK(cudaMemset(g, 0, 1 << 20)); OK(cudaMemset(out, 0, 1 << 20));
  all<LDS>(); all<LDSOFF>(); all<STS>(); all<STSOFF>(); all<SHFL>(); all<MEMBAR>(); all<BARW>(); all<ATOMS>(); all<LDGHIT>(); all<SHFLDEP>(); all<LDSDEP>(); all<LDSOFFDEP>(); all<LDS64>(); all<LDS128>(); all<RMW>();
  OK(cudaDeviceSynchronize()); return 0;
}
