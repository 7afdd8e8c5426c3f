// SPDX-License-Identifier: Apache-2.0
// What loads cost whose line is on its way to the L1 already. A warp reads K words a lane, STEP words apart, all sent before the first
// is used: neighbours in time want the same lines. Each kernel makes two passes over the same data (two launches in one: the second
// pass hits) when PASSES is 2. Nsight Compute times each launch from cold caches, as in probes/memory (short_streams.cu).
#include <cstring>
#include <string>
#include "../harness.cuh"

__device__ __forceinline__ float load(const float* p) {
  float v;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p));
  return v;
}
// `words` a block: its warps read from a place of their own (own = 1) or all from the block's first (own = 0).
template <int K> __global__ void taps(const float* a, float* out, int step, int own, int passes) {
  const size_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* p = a + blockIdx.x * (size_t)blockDim.x + (own ? warp * 32 : 0) + lane;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    float v[K];
#pragma unroll
    for (int k = 0; k < K; ++k) v[k] = load(p + k * step);
#pragma unroll
    for (int k = 0; k < K; ++k) sum += v[k];
  }
  if (sum == 12345.f) out[0] = sum;
}
// Every lane at random in a window that all SMs read.
template <int K> __global__ void window(const float* a, float* out, unsigned words, int passes) {
  unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    float v[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
      h = h * 1664525u + 1013904223u;
      v[k] = load(a + (h >> 8) % words);
    }
#pragma unroll
    for (int k = 0; k < K; ++k) sum += v[k];
  }
  if (sum == 12345.f) out[0] = sum;
}

struct Case {
  int k, step, own, passes, blocks, threads;
  unsigned words;  // of a window; 0: taps
};
static const Case kCases[] = {
    {16, 1, 1, 1, 1024, 256, 0},  {16, 1, 1, 2, 1024, 256, 0}, {16, 1, 1, 1, 132, 256, 0},  {16, 1, 1, 2, 132, 256, 0},
    {16, 1, 1, 1, 132, 1024, 0},  {16, 1, 1, 2, 132, 1024, 0}, {16, 8, 1, 1, 1024, 256, 0}, {16, 8, 1, 2, 1024, 256, 0},
    {16, 32, 1, 1, 1024, 256, 0}, {16, 32, 1, 2, 1024, 256, 0}, {16, 0, 1, 1, 1024, 256, 0}, {16, 0, 1, 2, 1024, 256, 0},
    {16, 0, 0, 1, 1024, 256, 0},  {16, 0, 0, 2, 1024, 256, 0}, {4, 1, 1, 1, 1024, 256, 0},  {4, 1, 1, 2, 1024, 256, 0},
    {1, 0, 1, 1, 1024, 256, 0},   {1, 0, 0, 1, 1024, 256, 0},  {1, 0, 0, 1, 1024, 256, 4096}, {1, 0, 0, 2, 1024, 256, 4096},
    {4, 0, 0, 1, 1024, 256, 4096}, {4, 0, 0, 2, 1024, 256, 4096}, {1, 0, 0, 1, 132, 1024, 4096}, {1, 0, 0, 1, 132, 32, 4096},
    {1, 0, 0, 1, 1024, 256, 32},  {1, 0, 0, 1, 1024, 256, 512}, {1, 0, 0, 1, 1024, 256, 32768}, {4, 0, 0, 1, 1024, 256, 32768}};

static void launch(const Case& c, const float* a, float* out) {
  if (c.words && c.k == 1) window<1><<<c.blocks, c.threads>>>(a, out, c.words, c.passes);
  if (c.words && c.k == 4) window<4><<<c.blocks, c.threads>>>(a, out, c.words, c.passes);
  if (!c.words && c.k == 1) taps<1><<<c.blocks, c.threads>>>(a, out, c.step, c.own, c.passes);
  if (!c.words && c.k == 4) taps<4><<<c.blocks, c.threads>>>(a, out, c.step, c.own, c.passes);
  if (!c.words && c.k == 16) taps<16><<<c.blocks, c.threads>>>(a, out, c.step, c.own, c.passes);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
}

int main(int count, char** words) {
  float *a, *out;
  OK(cudaMalloc(&a, 8 << 20));
  OK(cudaMalloc(&out, 4096));
  const int cases = sizeof kCases / sizeof *kCases;
  if (count > 2 && !std::strcmp(words[1], "one")) return launch(kCases[std::atoi(words[2])], a, out), 0;
  OK(cudaMemset(a, 0, 8 << 20));
  launch(kCases[0], a, out);
  launch(kCases[18], a, out);
  for (int i = 0; i < cases; ++i) {
    const Case& c = kCases[i];
    std::printf("%d,%d,%d,%d,%d,%d,%u\n", c.k, c.step, c.own, c.passes, c.blocks, c.threads, c.words);
    launch(c, a, out);
  }
}
