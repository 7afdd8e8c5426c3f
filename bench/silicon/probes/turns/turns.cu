// SPDX-License-Identifier: Apache-2.0
// Who has the issue slots: the clock of every warp of a block at each turn of a loop, whose body fills the issue slots and has, once a turn, something to wait for.
#include <cstring>
#include "../harness.cuh"
constexpr int kTurns = 12;
struct Out { unsigned t[32][kTurns + 4]; float sink[32]; };
// EVENT: what a turn waits for, beside the branch.
enum { NONE, CHAIN, CHAIN16, LDS_, MUFU_, LDG_, LDGCG_, SHFL_, SYNCW, NOBRANCH, ALU, ALUCHAIN, MUFUPIPE, IMADS, FP64P, LDSPIPE };
template <int EVENT>
__global__ void __launch_bounds__(1024, 1) turns(Out* out, float s, int n, unsigned* mem, unsigned zero) {
  __shared__ unsigned mark[32][kTurns + 4]; __shared__ unsigned data[1024];
  float f[8]; int x[8]; unsigned q = threadIdx.x & 1023, p = 0; double d = s;
  for (int j = 0; j < 8; j++) { f[j] = s + j + threadIdx.x; x[j] = threadIdx.x + j; }
  data[threadIdx.x] = threadIdx.x; const bool first = (threadIdx.x & 31) == 0; unsigned w = threadIdx.x >> 5;
  __syncthreads();
  unsigned before = now();
  __syncthreads();
  unsigned t = now();
  if (first) { mark[w][0] = before; mark[w][1] = t; }
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    constexpr int B = (EVENT == ALU || EVENT == ALUCHAIN || EVENT == IMADS) ? 0 : (EVENT >= MUFUPIPE) ? 0 : 8;
#pragma unroll
    for (int u = 0; u < B; u++)
#pragma unroll
      for (int j = 0; j < 8; j++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[j]) : "f"(s));
    if (EVENT == CHAIN) asm volatile("fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[0]) : "f"(s));
    if (EVENT == CHAIN16)
#pragma unroll
      for (int u = 0; u < 8; u++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[0]) : "f"(s));
    // What is loaded hangs on the body's last value, and the next turn's body on what is loaded.
    if (EVENT == LDS_ || EVENT == LDG_ || EVENT == LDGCG_ || EVENT == SHFL_ || EVENT == MUFU_) {
      unsigned a, v = 0; asm volatile("and.b32 %0, %1, %2;" : "=r"(a) : "r"(__float_as_uint(f[7])), "r"(zero));
      if (EVENT == LDS_) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(&data[q & 1023]) + a));
      if (EVENT == LDG_) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(mem + (q & 1023) + a));
      if (EVENT == LDGCG_) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(mem + (q & 1023) + a));
      if (EVENT == SHFL_) asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, -1;" : "=r"(v) : "r"(a));
      if (EVENT == MUFU_) asm volatile("{ .reg .f32 t; mov.b32 t, %1; ex2.approx.ftz.f32 t, t; mov.b32 %0, t; }" : "=r"(v) : "r"(a));
#pragma unroll
      for (int j = 0; j < 8; j++) { unsigned b; asm volatile("lop3.b32 %0, %1, %2, %3, 0xf8;" : "=r"(b) : "r"(__float_as_uint(f[j])), "r"(v), "r"(zero)); f[j] = __uint_as_float(b); }
    }
    if (EVENT == SYNCW) asm volatile("bar.warp.sync -1;" ::: "memory");
    if (EVENT == ALU)
#pragma unroll
      for (int u = 0; u < 8; u++)
#pragma unroll
        for (int j = 0; j < 8; j++) asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(x[j]) : "r"(n));
    if (EVENT == ALUCHAIN)
#pragma unroll
      for (int u = 0; u < 16; u++) asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(x[0]) : "r"(n));
    if (EVENT == IMADS)
#pragma unroll
      for (int u = 0; u < 8; u++)
#pragma unroll
        for (int j = 0; j < 8; j++) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x[j]) : "r"(n));
    if (EVENT == MUFUPIPE)
#pragma unroll
      for (int u = 0; u < 2; u++)
#pragma unroll
        for (int j = 0; j < 8; j++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[j]));
    if (EVENT == LDSPIPE)
#pragma unroll
      for (int j = 0; j < 8; j++) { unsigned v; asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(&data[(threadIdx.x + 32 * j) & 1023]))); x[j] ^= v; }
    t = now();
    if (first) mark[w][k + 2] = t;
  }
  t = now();
  __syncthreads();
  unsigned end = now();
  if (first) { mark[w][n + 2] = t; mark[w][n + 3] = end; }
  __syncthreads();
  float sum = 0; for (int j = 0; j < 8; j++) sum += f[j] + x[j]; sum += q + p + d;
  if (sum == 12345.f) out->sink[w] = sum;
  if (first) for (int k = 0; k < n + 4; k++) out->t[w][k] = mark[w][k];
}
static Out* dev; static unsigned* mem; static Out h;
template <class F> void go(const char* name, int warps, F launch, int n) {
  for (int r = 0; r < (n ? 4 : 9); r++) {
    cudaMemset(dev, 0, sizeof h); launch(warps); cudaMemcpy(&h, dev, sizeof h, cudaMemcpyDeviceToHost);
    if (auto e = cudaGetLastError()) { printf("%s\n", cudaGetErrorString(e)); return; }
    if (h.t[0][0] && n == 0) for (int w = 0; w < warps; w++) h.t[w][1] = h.t[w][3] - h.t[w][0];
    unsigned z = h.t[0][1]; for (int w = 1; w < warps; w++) if (int(h.t[w][1] - z) < 0) z = h.t[w][1];
    if (r == 0) continue;  // cold
    for (int w = 0; w < warps; w++) { printf("%s,%d,%d,%d", name, warps, r, w); for (int k = 0; k < n + 4; k++) printf(",%d", int(h.t[w][k] - z)); printf("\n"); }
  }
}
#define GO(e) for (int warps : {4, 8, 16, 32}) go(#e, warps, [](int w) { turns<e><<<1, w * 32>>>(dev, 0.5f, kTurns, mem, 0); }, kTurns);
// The rate probes themselves, each warp with its own two clocks.
#define RATE(name, op) extern "C" __global__ void name(Out* out, int seed, float fseed) { int x[8]; float f[8]; for (int j = 0; j < 8; j++) { x[j] = seed + j + threadIdx.x; f[j] = fseed + j + threadIdx.x; } \
  __syncthreads(); unsigned t0; asm volatile("" ::: "memory"); t0 = clock(); _Pragma("unroll 8") for (int k = 0; k < 64; k++) { _Pragma("unroll") for (int j = 0; j < 8; j++) { op; } } unsigned te = clock(); __syncthreads(); unsigned t1 = clock(); float s = 0; for (int j = 0; j < 8; j++) s += x[j] + f[j]; \
  if (threadIdx.x % 32 == 0) { unsigned w = threadIdx.x / 32; out->t[w][0] = 0; out->t[w][1] = t0; out->t[w][2] = te; out->t[w][3] = t1; out->sink[w] = s; } }
RATE(own_iadd, asm volatile("add.s32 %0, %0, %1;" : "+r"(x[j]) : "r"(seed)))
RATE(own_ffma, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[j]) : "f"(fseed)))
RATE(own_lop3, asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x[j]) : "r"(seed), "r"(x[(j + 1) & 7])))
RATE(own_imad, asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x[j]) : "r"(seed)))
RATE(own_mix, asm volatile("add.s32 %0, %0, %2; fma.rn.f32 %1, %1, %3, %3;" : "+r"(x[j]), "+f"(f[j]) : "r"(seed), "f"(fseed)))
// As the suite's, where the first clock is read through the special registers' unit (S2UR).
#define DIFF(name, op) extern "C" __global__ void name(Out* out, int seed, float fseed) { int x[8]; float f[8]; for (int j = 0; j < 8; j++) { x[j] = seed + j + threadIdx.x; f[j] = fseed + j + threadIdx.x; } \
  __syncthreads(); unsigned t0; asm volatile("" ::: "memory"); t0 = clock(); _Pragma("unroll 8") for (int k = 0; k < 64; k++) { _Pragma("unroll") for (int j = 0; j < 8; j++) { op; } } __syncthreads(); unsigned t1 = clock(); float s = 0; for (int j = 0; j < 8; j++) s += x[j] + f[j]; \
  if (threadIdx.x % 32 == 0) { unsigned w = threadIdx.x / 32; out->t[w][0] = t1 - t0; out->t[w][3] = t1; out->sink[w] = s; } }
DIFF(diff_ffma, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[j]) : "f"(fseed)))
DIFF(diff_lop3, asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x[j]) : "r"(seed), "r"(x[(j + 1) & 7])))
DIFF(diff_mix, asm volatile("add.s32 %0, %0, %2; fma.rn.f32 %1, %1, %3, %3;" : "+r"(x[j]), "+f"(f[j]) : "r"(seed), "f"(fseed)))
#define OWN(k) go(#k, 32, [](int w) { k<<<1, w * 32>>>(dev, 3, 1.5f); }, 0);
int main() {
  cudaMalloc(&dev, sizeof h); unsigned m[1024]; for (int i = 0; i < 1024; i++) m[i] = i; cudaMalloc(&mem, sizeof m); cudaMemcpy(mem, m, sizeof m, cudaMemcpyHostToDevice);
  GO(NONE) GO(CHAIN) GO(CHAIN16) GO(LDS_) GO(MUFU_) GO(LDG_) GO(LDGCG_) GO(SHFL_) GO(SYNCW) GO(ALU) GO(ALUCHAIN) GO(MUFUPIPE) GO(IMADS) GO(LDSPIPE)
  OWN(own_iadd) OWN(own_ffma) OWN(own_lop3) OWN(own_imad) OWN(own_mix) OWN(diff_ffma) OWN(diff_lop3) OWN(diff_mix)
  return cudaDeviceSynchronize();
}
