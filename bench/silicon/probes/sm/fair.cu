// SPDX-License-Identifier: Apache-2.0
// Who issues when warps compete: checkpoints of each warp's progress; and MATCH by the number of different values.
#include <vector>
#include <algorithm>
#include "../harness.cuh"
constexpr int kMarks = 9;
__device__ __forceinline__ unsigned reg(int which) { unsigned r; if (which == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); else asm volatile("mov.u32 %0, %%warpid;" : "=r"(r)); return r; }
struct Row { unsigned sm, slot, t[kMarks]; };
template <class F> __device__ void race(Row* rows, int rounds, F step) {
  __syncthreads(); unsigned t[kMarks]; t[0] = now();
#pragma unroll
  for (int m = 1; m < kMarks; m++) { for (int k = 0; k < rounds; k++) step(); t[m] = now(); }
  if ((threadIdx.x & 31) == 0) { Row& r = rows[(blockIdx.x * blockDim.x + threadIdx.x) >> 5]; r.sm = reg(0); r.slot = reg(1); for (int m = 0; m < kMarks; m++) r.t[m] = t[m]; }
}
#define KERNEL(name, T, n, init, body) \
  __global__ void name(Row* rows, float* sink, int rounds, T seed) { T x[n]; for (int j = 0; j < n; j++) x[j] = (T)(init); \
    race(rows, rounds, [&] { _Pragma("unroll") for (int u = 0; u < 8; u++) { _Pragma("unroll") for (int j = 0; j < n; j++) { body; } } }); \
    T s = x[0]; for (int j = 1; j < n; j++) s = s + x[j]; if (s == (T)12345) *sink = 1; }
KERNEL(chain_ffma, float, 1, threadIdx.x, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[j]) : "f"(seed)))
KERNEL(ilp4_ffma, float, 4, threadIdx.x + j, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[j]) : "f"(seed)))
KERNEL(ilp4_lop, unsigned, 4, threadIdx.x + j, asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(x[j]) : "r"(seed)))
KERNEL(ilp2_imad_lop, unsigned, 2, threadIdx.x + j, asm volatile("mad.lo.u32 %0, %0, %1, %1; xor.b32 %0, %0, %1;" : "+r"(x[j]) : "r"(seed)))
KERNEL(chain_ex2, float, 1, threadIdx.x * 0.01f, asm volatile("ex2.approx.ftz.f32 %0, %0; fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[j]) : "f"(seed)))
KERNEL(ilp4_ex2, float, 4, threadIdx.x * 0.01f + j, asm volatile("ex2.approx.ftz.f32 %0, %0; fma.rn.f32 %0, %0, %1, %1; fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[j]) : "f"(seed)))
KERNEL(ilp2_popc, unsigned, 2, threadIdx.x + j, asm volatile("{ .reg .u32 p; popc.b32 p, %0; mad.lo.u32 %0, %0, %1, p; xor.b32 %0, %0, %1; }" : "+r"(x[j]) : "r"(seed)))
KERNEL(ilp2_dfma, double, 2, threadIdx.x + j, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x[j]) : "d"(seed)))
template <class F> __device__ unsigned timed(F f, int n) { for (int k = 0; k < 2; k++) f(); __syncthreads(); unsigned a = now(); for (int k = 0; k < n; k++) f(); return now() - a; }
__global__ void match(unsigned* out, int different, int n) {
  unsigned v = threadIdx.x & 31, x = different >= 32 ? v : v % different, s = 0;
  unsigned t = timed([&] { unsigned m; asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(m) : "r"(x) : "memory"); s ^= m; asm volatile("xor.b32 %0, %0, %1; xor.b32 %0, %0, %1;" : "+r"(x) : "r"(m)); }, n);
  if (threadIdx.x == 0) out[blockIdx.x] = t; if (s == 77) out[0] = 0;
}
__global__ void match64(unsigned* out, int different, int n) {
  unsigned v = threadIdx.x & 31, s = 0; unsigned long long x = different >= 32 ? v : v % different;
  unsigned t = timed([&] { unsigned m; asm volatile("match.any.sync.b64 %0, %1, 0xffffffff;" : "=r"(m) : "l"(x) : "memory"); s ^= m; x ^= (unsigned long long)(m ^ m); asm volatile("xor.b64 %0, %0, %1; xor.b64 %0, %0, %1;" : "+l"(x) : "l"((unsigned long long)m)); }, n);
  if (threadIdx.x == 0) out[blockIdx.x] = t; if (s == 77) out[0] = 0;
}
__global__ void match_all(unsigned* out, int different, int n) {
  unsigned v = threadIdx.x & 31, x = different >= 32 ? v : v % different, s = 0;
  unsigned t = timed([&] { unsigned m; asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %1, 0xffffffff; }" : "=r"(m) : "r"(x) : "memory"); s ^= m; asm volatile("xor.b32 %0, %0, %1; xor.b32 %0, %0, %1;" : "+r"(x) : "r"(m)); }, n);
  if (threadIdx.x == 0) out[blockIdx.x] = t; if (s == 77) out[0] = 0;
}
template <class T> void fair(const char* name, void (*k)(Row*, float*, int, T), T seed, int blocks, int threads, int rounds) {
  Row* d; float* sink; int warps = blocks * threads / 32; OK(cudaMalloc(&d, warps * sizeof(Row))); OK(cudaMalloc(&sink, 4)); std::vector<Row> h(warps);
  for (int rep = 0; rep < 2; rep++) k<<<blocks, threads>>>(d, sink, rounds, seed);
  OK(cudaDeviceSynchronize()); OK(cudaMemcpy(h.data(), d, warps * sizeof(Row), cudaMemcpyDeviceToHost));
  for (int w = 0; w < warps; w++) if (h[w].sm == h[0].sm) { printf("%s,%d,%d,%d,%d,%u", name, blocks, threads, w * 32 / threads, w % (threads / 32), h[w].slot); for (int m = 0; m < kMarks; m++) printf(",%u", h[w].t[m] - h[0].t[0]); printf("\n"); }
  cudaFree(d); cudaFree(sink);
}
void ask(const char* name, void (*k)(unsigned*, int, int), int threads) {
  unsigned* d; OK(cudaMalloc(&d, 4)); for (int n : {1, 2, 3, 4, 8, 16, 24, 32}) { unsigned few = ~0u, many = ~0u, v;
    for (int rep = 0; rep < 5; rep++) { k<<<1, threads>>>(d, n, 16); OK(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost)); few = std::min(few, v); k<<<1, threads>>>(d, n, 48); OK(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost)); many = std::min(many, v); }
    printf("%s,%d,%d,%u,%u,%.3f\n", name, threads / 32, n, few, many, (many - few) / 32.0); }
  cudaFree(d);
}
int main() {
  for (int threads : {128, 256, 512, 1024}) {
    fair<float>("chain_ffma", chain_ffma, 0.5f, 132, threads, 32); fair<float>("ilp4_ffma", ilp4_ffma, 0.5f, 132, threads, 32); fair<unsigned>("ilp4_lop", ilp4_lop, 5, 132, threads, 32);
    fair<unsigned>("ilp2_imad_lop", ilp2_imad_lop, 5, 132, threads, 32); fair<float>("chain_ex2", chain_ex2, 0.5f, 132, threads, 16); fair<float>("ilp4_ex2", ilp4_ex2, 0.5f, 132, threads, 8);
    fair<unsigned>("ilp2_popc", ilp2_popc, 5, 132, threads, 16); fair<double>("ilp2_dfma", ilp2_dfma, 0.5, 132, threads, 16);
  }
  fair<unsigned>("ilp2_imad_lop", ilp2_imad_lop, 5, 528, 256, 32); fair<float>("ilp4_ffma", ilp4_ffma, 0.5f, 528, 256, 32); fair<unsigned>("ilp2_popc", ilp2_popc, 5, 528, 256, 16);
  for (int threads : {32, 128, 512}) { ask("match_any", match, threads); ask("match_any64", match64, threads); ask("match_all", match_all, threads); }
}
