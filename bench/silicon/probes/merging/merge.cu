// SPDX-License-Identifier: Apache-2.0
// What reads of several SMs of one GPC cost L2: by delay between them, number of SMs, sectors asked, and freely running.
#include <algorithm>
#include <vector>
#include "../harness.cuh"
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ float ld_cg(const float* p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__device__ float ld_ca(const float* p) { float v; asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__global__ void clocks(uint64_t* s) { const uint64_t b = now64(); if (threadIdx.x == 0) { s[2 * blockIdx.x] = b; s[2 * blockIdx.x + 1] = smid(); } while (now64() - b < 100000) {} }
struct Set { int n; unsigned sm[32]; int delay[32]; unsigned lanes[32]; };
// Warms L2 (first SM of the set, past L1), then line i at t0 + i * pace + delay on each SM of the set. burst: so many lines at once.
__global__ void share(const float* data, unsigned* arrive, Set set, int lines, int pace, int burst, int warm, int wait, uint64_t* t0s, unsigned* lat) {
  const unsigned me = smid();
  int k = -1; for (int i = 0; i < set.n; ++i) if (set.sm[i] == me) k = i;
  if (k < 0) return;
  if (k == 0 && warm) { float s = 0; for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32) s += ld_cg(data + i * 32 + (threadIdx.x & 31)); if (s == 12345.f) lat[0] = 1; __threadfence(); }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (k == 0) *(volatile uint64_t*)t0s = now64() + 10000;
    __threadfence(); atomicAdd(arrive, 1);
    while (*(volatile unsigned*)arrive < (unsigned)set.n) {}
  }
  __syncthreads();
  const uint64_t t0 = *(volatile uint64_t*)t0s + set.delay[k];
  const unsigned lane = threadIdx.x & 31, mask = set.lanes[k], warps = blockDim.x / 32, warp = threadIdx.x / 32;
  float s = 0; unsigned total = 0;
  while (now64() < t0) {}
  if (pace) {
    for (int i = 0; i < lines; i += burst) {
      while (now64() < t0 + (uint64_t)(i / burst) * pace) {}
      const uint64_t b = now64();
      float v[16];
#pragma unroll
      for (int j = 0; j < 16; ++j) if (j < burst && (mask >> lane & 1)) v[j] = ld_ca(data + (i + j) * 32 + lane); else v[j] = 0;
#pragma unroll
      for (int j = 0; j < 16; ++j) s += v[j];
      if (s == 12345.f) total = 1;
      total += (unsigned)(now64() - b);
    }
  } else {
    for (int i = warp; i < lines; i += warps) { s += ld_cg(data + i * 32 + lane); if (wait && s == 12345.f) total = 1; }
  }
  if (lane == 0 && warp == 0) lat[k + 1] = total;
  if (s == 12345.f) lat[0] = 2;
}
int main() {
  float* data; unsigned *arrive, *lat; uint64_t *t0, *cl; OK(cudaMalloc(&data, 1 << 24)); OK(cudaMemset(data, 0, 1 << 24)); OK(cudaMalloc(&arrive, 4)); OK(cudaMalloc(&lat, 4096)); OK(cudaMalloc(&t0, 8)); OK(cudaMalloc(&cl, 1 << 16));
  for (int k = 0; k < 2; ++k) { clocks<<<132, 1024>>>(cl); OK(cudaDeviceSynchronize()); }
  std::vector<uint64_t> c(264); OK(cudaMemcpy(c.data(), cl, 264 * 8, cudaMemcpyDeviceToHost));
  uint64_t zero = 0; for (int i = 0; i < 132; ++i) if (c[2 * i + 1] == 2) zero = c[2 * i];  // SMs of a GPC count from one start
  std::vector<unsigned> mates; for (int i = 0; i < 132; ++i) if (c[2 * i] + 20000 > zero && c[2 * i] < zero + 20000) mates.push_back((unsigned)c[2 * i + 1]);
  std::sort(mates.begin(), mates.end()); fprintf(stderr, "mates of 2:"); for (unsigned m : mates) fprintf(stderr, " %u", m); fprintf(stderr, "\n");
  auto go = [&](const char* name, Set set, int lines, int pace, int burst, int warm, int wait, int threads) {
    OK(cudaMemset(arrive, 0, 4)); share<<<132, threads, 0>>>(data, arrive, set, lines, pace, burst, warm, wait, t0, lat); OK(cudaGetLastError()); OK(cudaDeviceSynchronize());
    unsigned h[40]; OK(cudaMemcpy(h, lat, sizeof h, cudaMemcpyDeviceToHost));
    fprintf(stderr, "case,%s,%d,%d,%d,%d,%d,%d,%d,lat", name, set.n, lines, pace, burst, warm, wait, threads);
    for (int i = 0; i < set.n; ++i) fprintf(stderr, ",%u@%d:%.1f", set.sm[i], set.delay[i], h[i + 1] / double(lines / burst)); fprintf(stderr, "\n");
  };
  const unsigned m = (unsigned)mates.size();
  auto make = [&](std::vector<int> which, std::vector<int> delay, std::vector<unsigned> lanes = {}) { Set s{}; s.n = (int)which.size(); for (int i = 0; i < s.n; ++i) { s.sm[i] = mates[which[i] % m]; s.delay[i] = delay[i]; s.lanes[i] = lanes.empty() ? ~0u : lanes[i]; } return s; };
  auto row = [&](int n, int skew) { std::vector<int> a, d; for (int i = 0; i < n; ++i) a.push_back(i), d.push_back(skew * i); return make(a, d); };
  go("one", make({0}, {0}), 256, 2000, 1, 1, 0, 32);
  for (int mate : {1, 2, 3, 4, 8, 15}) for (int d : {0, 40}) go("pair", make({0, mate}, {0, d}), 256, 2000, 1, 1, 0, 32);
  for (int d : {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 128, 160, 200, 250, 300, 400}) go("hit", make({0, 2}, {0, d}), 256, 2000, 1, 1, 0, 32);
  for (int d : {0, 100, 200, 300, 400, 500, 600, 700}) go("miss", make({0, 2}, {0, d}), 256, 2000, 1, 0, 0, 32);
  for (int n : {3, 4, 5, 6, 8, 12, 16}) for (int w : {1, 0}) go(w ? "many_hit" : "many_miss", row(n, 0), 256, 2000, 1, w, 0, 32);
  for (int n : {4, 8}) go("chain", row(n, 10), 256, 2000, 1, 1, 0, 32);
  for (int burst : {4, 16}) for (int d : {0, 20, 40, 60, 80, 120}) go("burst", make({0, 2}, {0, d}), 256, 4000, burst, 1, 0, 32);
  for (int d : {0, 60}) go("burst8", make({0, 2}, {0, d}), 256, 8000, 16, 1, 0, 256);
  go("half_all", make({0, 2}, {0, 0}, {0xffffu, ~0u}), 256, 2000, 1, 1, 0, 32);
  go("half_all20", make({0, 2}, {0, 20}, {0xffffu, ~0u}), 256, 2000, 1, 1, 0, 32);
  go("all_half20", make({0, 2}, {0, 20}, {~0u, 0xffffu}), 256, 2000, 1, 1, 0, 32);
  go("half_half20", make({0, 2}, {0, 20}, {0xffffu, 0xffff0000u}), 256, 2000, 1, 1, 0, 32);
  go("sector_sector20", make({0, 2}, {0, 20}, {0xffu, 0xffu}), 256, 2000, 1, 1, 0, 32);
  for (int n : {2, 4, 8, 16}) for (int threads : {32, 256, 1024}) for (int w : {1, 0}) go("free", row(n, 0), 8192, 0, 1, w, 1, threads);
  for (int n : {2, 4, 16}) for (int skew : {50, 500}) go("free_skew", row(n, skew), 8192, 0, 1, 1, 1, 256);
}
