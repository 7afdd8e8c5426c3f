// SPDX-License-Identifier: Apache-2.0
// Shared memory, the L1 and the constant caches as the SM's queue sees them: latencies of one warp, rates of many.
#include "probe.cuh"

// Parameter: byte stride between lanes; the address is the same for every operation, in this warp's 1 KiB or the common one.
struct Strided {
  static __device__ __forceinline__ void prepare(State& s, int stride) {
    s.shared += s.lane * stride;
    s.global += s.lane * stride;
    s.r[0] = s.shared;
    s.l[0] = (long long)s.global;
    s.r[1] = 0;
  }
  static __device__ __forceinline__ void finish(State&) {}
};
#define SOP(name, ...)                                                                        \
  struct name : Strided {                                                                     \
    static __device__ __forceinline__ void run(State& s, int k) { (void)k; __VA_ARGS__; }     \
  };
// Chains: the loaded value (0) is added to the address.
SOP(Lds32, asm volatile("{ .reg .b32 v; ld.shared.b32 v, [%0]; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"))
SOP(Lds64, asm volatile("{ .reg .b32 v, w; ld.shared.v2.b32 {v, w}, [%0]; add.s32 %0, %0, w; }" : "+r"(s.r[0])::"memory"))
SOP(Lds128, asm volatile("{ .reg .b32 v<4>; ld.shared.v4.b32 {v0, v1, v2, v3}, [%0]; add.s32 %0, %0, v3; }" : "+r"(s.r[0])::"memory"))
SOP(Ldsm1, asm volatile("{ .reg .b32 v; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {v}, [%0]; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"))
SOP(Ldsm4, asm volatile("{ .reg .b32 v<4>; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {v0, v1, v2, v3}, [%0]; add.s32 %0, %0, v3; }" : "+r"(s.r[0])::"memory"))
SOP(StLds, asm volatile("{ .reg .b32 v; st.shared.b32 [%0], 0; ld.shared.b32 v, [%0]; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"))
SOP(AtomAdd, asm volatile("{ .reg .b32 v; atom.shared.add.u32 v, [%0], 0; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"))
SOP(AtomCas, asm volatile("{ .reg .b32 v; atom.shared.cas.b32 v, [%0], 0, 0; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"))
SOP(AtomMin, asm volatile("{ .reg .b32 v; atom.shared.min.u32 v, [%0], %1; add.s32 %0, %0, v; }" : "+r"(s.r[0]) : "r"(0) : "memory"))
SOP(AtomFadd, asm volatile("{ .reg .f32 v; .reg .b32 w; atom.shared.add.f32 v, [%0], 0f00000000; mov.b32 w, v; add.s32 %0, %0, w; }" : "+r"(s.r[0])::"memory"))
SOP(LdgHit32, asm volatile("{ .reg .s32 v; .reg .s64 w; ld.global.ca.b32 v, [%0]; cvt.s64.s32 w, v; add.s64 %0, %0, w; }" : "+l"(s.l[0])::"memory"))
SOP(LdgHit64, asm volatile("{ .reg .s32 v, u; .reg .s64 w; ld.global.ca.v2.b32 {u, v}, [%0]; cvt.s64.s32 w, v; add.s64 %0, %0, w; }" : "+l"(s.l[0])::"memory"))
SOP(LdgHit128, asm volatile("{ .reg .s32 v<4>; .reg .s64 w; ld.global.ca.v4.b32 {v0, v1, v2, v3}, [%0]; cvt.s64.s32 w, v3; add.s64 %0, %0, w; }" : "+l"(s.l[0])::"memory"))
SOP(LdgL2, asm volatile("{ .reg .s32 v; .reg .s64 w; ld.global.cg.b32 v, [%0]; cvt.s64.s32 w, v; add.s64 %0, %0, w; }" : "+l"(s.l[0])::"memory"))
// Rates: no operation waits for another.
SOP(LdsRate, asm volatile("{ .reg .b32 v; ld.shared.b32 %0, [%1]; }" : "=r"(s.r[k & 7]) : "r"(s.shared) : "memory"))
SOP(Lds64Rate, asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(s.r[(k & 3) * 2]), "=r"(s.r[(k & 3) * 2 + 1]) : "r"(s.shared) : "memory"))
SOP(Lds128Rate, asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(s.r[(k & 1) * 4]), "=r"(s.r[(k & 1) * 4 + 1]), "=r"(s.r[(k & 1) * 4 + 2]), "=r"(s.r[(k & 1) * 4 + 3]) : "r"(s.shared) : "memory"))
SOP(StsRate, asm volatile("st.shared.b32 [%0], %1;" ::"r"(s.shared), "r"(s.r[2]) : "memory"))
SOP(Sts64Rate, asm volatile("st.shared.v2.b32 [%0], {%1, %1};" ::"r"(s.shared), "r"(s.r[2]) : "memory"))
SOP(Sts128Rate, asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(s.shared), "r"(s.r[2]) : "memory"))
SOP(Ldsm4Rate, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(s.r[(k & 1) * 4]), "=r"(s.r[(k & 1) * 4 + 1]), "=r"(s.r[(k & 1) * 4 + 2]), "=r"(s.r[(k & 1) * 4 + 3]) : "r"(s.shared) : "memory"))
SOP(RedRate, asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(s.shared), "r"(s.lane) : "memory"))
SOP(AtomRate, asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(s.r[k & 7]) : "r"(s.shared), "r"(s.lane) : "memory"))
SOP(LdgRate, asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(s.r[k & 7]) : "l"(s.global) : "memory"))
SOP(Ldg64Rate, asm volatile("ld.global.ca.v2.b32 {%0, %1}, [%2];" : "=r"(s.r[(k & 3) * 2]), "=r"(s.r[(k & 3) * 2 + 1]) : "l"(s.global) : "memory"))
SOP(Ldg128Rate, asm volatile("ld.global.ca.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(s.r[(k & 1) * 4]), "=r"(s.r[(k & 1) * 4 + 1]), "=r"(s.r[(k & 1) * 4 + 2]), "=r"(s.r[(k & 1) * 4 + 3]) : "l"(s.global) : "memory"))
SOP(StgRate, asm volatile("st.global.b32 [%0], %1;" ::"l"(s.global + (k & 7) * 4096), "r"(s.r[2]) : "memory"))

// Shared atomics of a bounded number of distinct addresses. Parameter: lanes that share a word.
struct Group {
  static __device__ __forceinline__ void prepare(State& s, int together) { s.shared += s.lane / together * 4; s.r[0] = s.shared; }
  static __device__ __forceinline__ void finish(State&) {}
};
struct AtomGroup : Group { static __device__ __forceinline__ void run(State& s, int) { asm volatile("{ .reg .b32 v; atom.shared.add.u32 v, [%0], 0; and.b32 v, v, 0x80000000; add.s32 %0, %0, v; }" : "+r"(s.r[0])::"memory"); } };
struct RedGroup : Group { static __device__ __forceinline__ void run(State& s, int) { asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(s.shared), "r"(s.lane) : "memory"); } };
struct RedIncGroup : Group { static __device__ __forceinline__ void run(State& s, int) { asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(s.shared) : "memory"); } };
struct RedFaddGroup : Group { static __device__ __forceinline__ void run(State& s, int) { asm volatile("red.shared.add.f32 [%0], 0f00000000;" ::"r"(s.shared) : "memory"); } };

// Constants with an index. Parameter: words between lanes.
__constant__ unsigned table[8192];
struct Constant {
  static __device__ __forceinline__ void prepare(State& s, int words) { s.r[0] = s.lane * words * 4; }
  static __device__ __forceinline__ void finish(State&) {}
  static __device__ __forceinline__ void run(State& s, int) {
    s.r[0] += *(const unsigned*)((const char*)table + s.r[0]);
  }
};

void shared_memory() {
#define LATENCY(T, ...) probe<T>("lat_" #T, {1}, __VA_ARGS__)
  LATENCY(Lds32, {4, 0, 8, 16, 32, 64, 128}); LATENCY(Lds64, {8, 0, 16, 128}); LATENCY(Lds128, {16, 0, 32, 128});
  LATENCY(Ldsm1, {16, 0, 128}); LATENCY(Ldsm4, {16, 0, 32, 128}); LATENCY(StLds, {4});
  LATENCY(AtomAdd, {4, 0, 8, 16, 128}); LATENCY(AtomCas, {4, 0, 128}); LATENCY(AtomMin, {4, 0}); LATENCY(AtomFadd, {4, 0});
  LATENCY(LdgHit32, {4, 0, 32, 128}); LATENCY(LdgHit64, {8, 0}); LATENCY(LdgHit128, {16, 0}); LATENCY(LdgL2, {4, 128});
  LATENCY(AtomGroup, {1, 2, 4, 8, 16, 32}); LATENCY(Constant, {0, 1, 4, 16});
#define RATES(T, ...) probe<T, 32, 96>("rate_" #T, {1, 2, 4, 8, 16, 32}, __VA_ARGS__)
  RATES(LdsRate, {4, 0, 8, 128}); RATES(Lds64Rate, {8}); RATES(Lds128Rate, {16}); RATES(StsRate, {4, 8}); RATES(Sts64Rate, {8});
  RATES(Sts128Rate, {16}); RATES(Ldsm4Rate, {16, 32}); RATES(RedRate, {4, 0, 8}); RATES(AtomRate, {4, 0, 8});
  RATES(LdgRate, {4, 128}); RATES(Ldg64Rate, {8}); RATES(Ldg128Rate, {16}); RATES(StgRate, {4});
  probe<RedGroup, 32, 96>("rate_RedGroup", {1, 8}, {1, 2, 4, 8, 32}); probe<RedIncGroup, 32, 96>("rate_RedIncGroup", {1, 8}, {1, 2, 4, 8, 32});
  probe<RedFaddGroup, 32, 96>("rate_RedFaddGroup", {1, 8}, {1, 2, 8});
  probe<Constant, 32, 96>("rate_Constant", {1, 4, 16}, {0, 1});
}
