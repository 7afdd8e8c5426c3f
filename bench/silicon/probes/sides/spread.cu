// SPDX-License-Identifier: Apache-2.0
// How long each SM takes for the same number of writes or reads: two blocks of 128 threads an SM.
#include <algorithm>
#include <vector>
#include "../bursts.cuh"
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
struct S { uint64_t begin, end; unsigned sm, pad; };
__global__ void clocks(S* s) { const uint64_t b = now64(); if (threadIdx.x == 0) s[blockIdx.x] = {b, b, smid(), 0}; while (now64() - b < 100000) {} }
// kind 0: a lane a sector at random; 1: a line a warp at random; 2: 512 B a warp, in order; 3: reads of kind 0; 4: a lane a sector of rows 4 KiB apart
__global__ void work(S* s, unsigned* mem, unsigned words, int n, int kind) {
  __syncthreads(); const uint64_t b = now64();
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x, warp = id / 32, lane = id & 31; unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    unsigned at = kind == 0 || kind == 3 ? spread(id * 1024 + i) * 8 : kind == 1 ? spread(warp * 1024 + i) * 32 + lane : kind == 2 ? (warp * n + i) * 128 + lane * 4 : (warp * n + i) * 8 + lane * 1024;
    at &= words - 1;
    if (kind == 3) sum += mem[at];
    else if (kind == 2) *(uint4*)(mem + (at & ~3u)) = make_uint4(i, i, i, i);
    else mem[at] = i;
  }
  if (sum == 12345) mem[0] = sum;
  __syncthreads(); const uint64_t e = now64();
  if (threadIdx.x == 0) s[blockIdx.x] = {b, e, smid(), 0};
}
// 64 words a thread that the compiler cannot keep in registers
__global__ void local_array(S* st, unsigned* out, int rounds) {
  __syncthreads(); const uint64_t b = now64(); unsigned a[64]; const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; k++) a[k] = spread(i) + k;
  unsigned s = spread(i);
  for (int r = 0; r < rounds; r++) { s = s * 1664525u + 1013904223u; a[s >> 26] += s; s ^= a[(s >> 20) & 63]; }
  out[i] = s; __syncthreads(); const uint64_t e = now64();
  if (threadIdx.x == 0) st[blockIdx.x] = {b, e, smid(), 0};
}
int main() {
  S* s; unsigned* mem; OK(cudaMalloc(&s, 1 << 20)); OK(cudaMalloc(&mem, 1 << 28)); std::vector<S> h(264);
  auto get = [&](int n) { OK(cudaGetLastError()); OK(cudaDeviceSynchronize()); OK(cudaMemcpy(h.data(), s, n * sizeof(S), cudaMemcpyDeviceToHost)); };
  for (int k = 0; k < 2; ++k) { clocks<<<132, 1024>>>(s); get(132); }
  std::vector<uint64_t> origin(132); for (int i = 0; i < 132; ++i) origin[h[i].sm] = h[i].begin;
  std::vector<uint64_t> sorted = origin; std::sort(sorted.begin(), sorted.end());
  auto gpc = [&](unsigned sm) { int g = 0; for (size_t i = 1; i < sorted.size() && sorted[i] <= origin[sm]; ++i) g += sorted[i] - sorted[i - 1] > 20000; return g; };
  auto show = [&](const char* name, int blocks) {
    std::vector<uint64_t> b(132, ~0ull), e(132, 0); for (int i = 0; i < blocks; ++i) { b[h[i].sm] = std::min(b[h[i].sm], h[i].begin); e[h[i].sm] = std::max(e[h[i].sm], h[i].end); }
    printf("%s", name); for (int i = 0; i < 132; ++i) printf(",%d:%d:%lld", i, gpc(i), e[i] ? (long long)(e[i] - b[i]) : -1); printf("\n");
  };
  const char* names[] = {"scatter", "line", "stream", "gather", "rows"};
  for (int kind = 0; kind < 5; ++kind) for (int log : {20, 24, 26}) for (int k = 0; k < 2; ++k) { work<<<264, 128>>>(s, mem, 1u << log, kind == 2 ? 256 : 64, kind); get(264); char t[64]; snprintf(t, 64, "%s_%dMiB_%d", names[kind], (4 << log) >> 20, k); show(t, 264); }
  for (int k = 0; k < 2; ++k) { local_array<<<264, 128>>>(s, mem, 64); get(264); char t[64]; snprintf(t, 64, "local_%d", k); show(t, 264); }
}
