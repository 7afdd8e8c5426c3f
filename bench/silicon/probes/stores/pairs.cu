// SPDX-License-Identifier: Apache-2.0
// How long a store to a line can be joined by a later one, by the lines of the first and of the second, by what lies between, and by how
// often it has been joined. Each launch does its sequence 32 times on other lines of one page, so that code and page are there.
// `pairs list` names the launches in order, `pairs` makes them (for Nsight Compute, --profile-from-start off).
#include <cstring>
#include <cuda_profiler_api.h>
#include <string>
#include <vector>
#include "../harness.cuh"
static char* d_buf; static unsigned* d_out; static bool listing; static std::vector<std::string> names;
constexpr int kTimes = 32, kApart = 64 << 10;

__device__ __forceinline__ void st(char* p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ __forceinline__ unsigned ld(const char* p) { unsigned v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void pause(int n) { const unsigned t = now(); while (now() - t < (unsigned)n) {} }
// So many dependent steps of four cycles each.
template <int STEPS> __device__ __forceinline__ unsigned wait(unsigned v) {
#pragma unroll
  for (int i = 0; i < STEPS; ++i) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(v) :: "memory");
  return v;
}
// Lane's place in a store of so many lines: all 32 lanes take part, `step` bytes apart within a line (4: words of few sectors, 32: of all).
__device__ __forceinline__ int place(int lines, int step, int lane) { const int each = 32 / lines; return lane / each * 128 + lane % each * step % 128; }

// M stores of the same words, each a read of the clock and STEPS steps behind the one before (none: at once); from the second on of so many
// lines. The read keeps ptxas from moving the stores.
template <int M, int STEPS> __global__ void chain(char* p, int lines, int step, int second, unsigned v) {
  const int lane = threadIdx.x & 31;
  char* q = p + place(lines, step, lane) + (threadIdx.x >> 5) * 8192;
  const bool later = lane < second * (32 / lines);
  for (int t = 0; t < kTimes; ++t, q += kApart) {
#pragma unroll
    for (int j = 0; j < M; ++j) {
      if (j == 0 || later) st(q, v);
      if (j + 1 < M && STEPS != 0) v = wait<STEPS - 1>(v + now());
    }
    pause(1500);
  }
}
template <int M, int STEPS> void chain_case(int lines, int step, int second, int warps) {
  char t[120]; snprintf(t, 120, "chain,stores%d,steps%d,lines%d,apart%d,second%d,warps%d", M, STEPS, lines, step, second, warps); names.push_back(t); if (listing) return;
  chain<M, STEPS><<<1, 32 * warps>>>(d_buf, lines, step, second, 7); OK(cudaDeviceSynchronize()); OK(cudaProfilerStart());
  chain<M, STEPS><<<1, 32 * warps>>>(d_buf, lines, step, second, 7); OK(cudaDeviceSynchronize()); OK(cudaProfilerStop());
}
// A store, K stores of other lines, the store's lines again.
template <int K> __global__ void between(char* p, int lines, int others, unsigned v) {
  const int lane = threadIdx.x & 31;
  char* q = p + place(lines, 4, lane); char* o = p + 16384 + place(others, 4, lane);
  for (int t = 0; t < kTimes; ++t, q += kApart, o += kApart) {
    st(q, v);
#pragma unroll
    for (int k = 0; k < K; ++k) st(o + k * (others == 32 ? 4096 : others * 128), v);
    st(q, v);
    pause(1500);
  }
}
template <int K> void between_case(int lines, int others) {
  char t[120]; snprintf(t, 120, "between,%d,lines%d,others%d", K, lines, others); names.push_back(t); if (listing) return;
  between<K><<<1, 32>>>(d_buf, lines, others, 7); OK(cudaDeviceSynchronize()); OK(cudaProfilerStart());
  between<K><<<1, 32>>>(d_buf, lines, others, 7); OK(cudaDeviceSynchronize()); OK(cudaProfilerStop());
}
// What stands between two stores: 0 nothing, 1 loads that miss, 2 shared stores, 3 a fence of the block, 4 a fence of the device, 5 loads that hit
template <int KIND> __global__ void with(char* p, int lines, unsigned v, unsigned* out) {
  __shared__ unsigned sh[64];
  char* q = p + place(lines, 4, threadIdx.x & 31); unsigned s = 0;
  if (KIND == 5) s += ld(p + (4 << 20) + threadIdx.x * 4);
  for (int t = 0; t < kTimes; ++t, q += kApart) {
    st(q, v);
    if (KIND == 1) s += ld(q + 32768);
    if (KIND == 2) ((volatile unsigned*)sh)[threadIdx.x & 31] = v;
    if (KIND == 3) __threadfence_block();
    if (KIND == 4) __threadfence();
    if (KIND == 5) s += ld(p + (4 << 20) + threadIdx.x * 4);
    st(q, v);
    pause(1500);
  }
  if (s == 12345) out[0] = sh[s & 31];
}
template <int KIND> void with_case(int lines) {
  char t[120]; snprintf(t, 120, "with,%d,lines%d", KIND, lines); names.push_back(t); if (listing) return;
  with<KIND><<<1, 32>>>(d_buf, lines, 7, d_out); OK(cudaDeviceSynchronize()); OK(cudaProfilerStart());
  with<KIND><<<1, 32>>>(d_buf, lines, 7, d_out); OK(cudaDeviceSynchronize()); OK(cudaProfilerStop());
}
template <int STEPS> void gaps() {
  for (int lines : {1, 2, 4, 8, 16, 32}) chain_case<2, STEPS>(lines, 4, lines, 1);
  for (int lines : {1, 2, 4, 8}) chain_case<2, STEPS>(lines, 32, lines, 1);
  chain_case<2, STEPS>(8, 4, 1, 1); chain_case<2, STEPS>(16, 4, 2, 1); chain_case<2, STEPS>(32, 4, 4, 1);
  chain_case<4, STEPS>(4, 4, 4, 1); chain_case<4, STEPS>(8, 4, 8, 1); chain_case<8, STEPS>(8, 4, 8, 1);
  chain_case<2, STEPS>(4, 4, 4, 4); chain_case<2, STEPS>(8, 4, 8, 2);
}
int main(int argc, char** argv) {
  listing = argc > 1 && !strcmp(argv[1], "list");
  if (!listing) { OK(cudaMalloc(&d_buf, 64 << 20)); OK(cudaMemset(d_buf, 0, 64 << 20)); OK(cudaMalloc(&d_out, 1 << 20)); }
  gaps<0>(); gaps<1>(); gaps<2>(); gaps<3>(); gaps<4>(); gaps<5>(); gaps<6>(); gaps<8>(); gaps<10>(); gaps<12>(); gaps<16>(); gaps<20>(); gaps<24>(); gaps<28>(); gaps<36>(); gaps<48>();
  for (int lines : {1, 4, 8, 16}) for (int others : {1, 4, 8, 32}) { between_case<1>(lines, others); between_case<2>(lines, others); between_case<4>(lines, others); between_case<8>(lines, others); }
  for (int lines : {1, 8}) { with_case<0>(lines); with_case<1>(lines); with_case<2>(lines); with_case<3>(lines); with_case<4>(lines); with_case<5>(lines); }
  if (listing) for (auto& n : names) printf("%s\n", n.c_str());
  return 0;
}
