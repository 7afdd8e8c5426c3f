// SPDX-License-Identifier: Apache-2.0
// How many stores an SM takes before its warps wait, what waits behind them, and how fast they leave: clocks of the first warp behind each
// of its stores, in SASS's order. A line a launch: kind, lines of a store, sectors of a line, warps, blocks, then the clocks.
#include "../harness.cuh"
static char* d_buf; static unsigned* d_out;
constexpr int kStores = 48;
__device__ __forceinline__ void st(char* p, unsigned v) { asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ __forceinline__ unsigned ld(const char* p) { unsigned v; asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }

// kind 0: stores alone. 1: behind them a load that the L1 has. 2: a shared store and load. 3: a load that misses. 4: arithmetic.
template <int KIND> __global__ void __launch_bounds__(512) run(char* p, int lane_step, int store_step, unsigned* out) {
  __shared__ unsigned clocks[kStores + 4]; __shared__ unsigned sh[64];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  char* q = p + (size_t)(blockIdx.x * (blockDim.x >> 5) + warp) * kStores * store_step + lane * lane_step;
  const char* mine = p + (512 << 20) + blockIdx.x * 4096 + threadIdx.x * 4;
  unsigned s = ld(mine), begin = 0, last = 0;
  for (int turn = 0; turn < 2; ++turn) {  // the second with code and pages that are there
    __syncthreads();
    if (s == 12345) out[1] = 1;
    const unsigned t = now(); begin = t;
    unsigned c[kStores];
#pragma unroll
    for (int j = 0; j < kStores; ++j) { st(q + j * store_step, j); c[j] = now(); }
    if (KIND == 1) s += ld(mine);
    if (KIND == 2) { ((volatile unsigned*)sh)[lane] = s; s += ((volatile unsigned*)sh)[lane ^ 1]; }
    if (KIND == 3) s += ld(mine + (1 << 20) * (turn + 1));
    if (s == 12345) out[2] = 1;
    last = now();
    if (threadIdx.x == 0 && turn == 1) {
#pragma unroll
      for (int j = 0; j < kStores; ++j) clocks[j] = c[j] - begin;
      clocks[kStores] = last - begin;
    }
    for (int i = 0; i < 200; ++i) __nanosleep(100);
  }
  __syncthreads();
  for (int i = threadIdx.x; blockIdx.x == 0 && i <= kStores; i += blockDim.x) out[64 + i] = clocks[i];
}
template <int KIND> void one(int lines, int sectors, int warps, int blocks) {
  // lanes over `lines` lines: 32 lines a sector each; 8 lines of four sectors (a word in each); 4 lines of 4 with 16 lanes' words; 1 line whole
  const int lane_step = 128 * lines / 32 ? 128 * lines / 32 : 4;
  run<KIND><<<blocks, 32 * warps>>>(d_buf, lane_step, lines * 128, d_out); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
  unsigned c[kStores + 1]; OK(cudaMemcpy(c, d_out + 64, sizeof c, cudaMemcpyDeviceToHost));
  printf("queue,kind%d,lines%d,sectors%d,warps%d,blocks%d", KIND, lines, sectors, warps, blocks);
  for (int j = 0; j <= kStores; ++j) printf(",%u", c[j]);
  printf("\n");
}
int main() {
  OK(cudaMalloc(&d_buf, 1 << 30)); OK(cudaMemset(d_buf, 0, 1 << 30)); OK(cudaMalloc(&d_out, 1 << 20));
  for (int blocks : {1, 132})
    for (int warps : {1, 4, 16})
      for (int lines : {1, 2, 4, 8, 16, 32}) one<0>(lines, lines >= 8 ? 32 / lines : 4, warps, blocks);
  for (int warps : {1, 16})
    for (int lines : {1, 8, 32}) { one<1>(lines, 0, warps, 132); one<2>(lines, 0, warps, 132); one<3>(lines, 0, warps, 132); one<4>(lines, 0, warps, 132); }
  return 0;
}
