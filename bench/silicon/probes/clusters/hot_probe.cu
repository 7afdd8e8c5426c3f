// SPDX-License-Identifier: Apache-2.0
// How fast L2 gives what many SMs ask for at once: `hot_probe time`, `hot_probe counted`.
#include <algorithm>
#include <string>
#include <vector>
#include "../harness.cuh"
__device__ __forceinline__ uint64_t wall() { uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
struct Stamp { uint64_t w0, w1, c; };
// Every warp reads `lines` lines, from its own place on, `reads` times in all. sectors 1: the lanes of a warp share one
// sector; 4: a line; 32: a sector of 32 lines.
__global__ void hot(const float* data, int lines, int sectors, int reads, Stamp* stamps, float* sink) {
  const unsigned lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const uint64_t w0 = wall(), c0 = now64();
  float s = 0;
  unsigned at = warp * 7919u;
#pragma unroll 4
  for (int i = 0; i < reads; ++i) {
    unsigned line = sectors == 32 ? (at + lane) % lines : at % lines;
    unsigned word = sectors == 1 ? (lane & 7) + 8 * ((at >> 3) & 3) : sectors == 4 ? lane : 8 * (lane & 3);
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(data + line * 32 + word) : "memory");
    s += v;
    at = at * 1664525u + 1013904223u;
    at ^= at >> 13;
  }
  if (s == 12345.f) *sink = s;
  __syncthreads();
  if (threadIdx.x == 0) stamps[blockIdx.x] = {w0, wall(), now64() - c0};
}
int main(int argc, char** argv) {
  const bool counted = argc > 1 && std::string(argv[1]) == "counted";
  float *data, *sink; Stamp* stamps;
  OK(cudaMalloc(&data, 64 << 20)); OK(cudaMemset(data, 0, 64 << 20)); OK(cudaMalloc(&sink, 4)); OK(cudaMalloc(&stamps, sizeof(Stamp) * 1024));
  if (!counted) printf("lines,sectors,blocks,threads,reads,ns,cycles\n");
  for (int sectors : {1, 4, 32})
    for (int lines : {1, 2, 4, 8, 16, 32, 128, 1024, 65536})
      for (int blocks : {16, 132}) {
        if (counted && blocks == 16) continue;
        const int threads = 1024, reads = sectors == 32 ? 16 : 64;
        std::vector<double> ns, cy;
        for (int k = 0; k < (counted ? 1 : 4); ++k) {
          hot<<<blocks, threads>>>(data, lines, sectors, reads, stamps, sink); OK(cudaDeviceSynchronize());
          std::vector<Stamp> s(blocks); OK(cudaMemcpy(s.data(), stamps, blocks * sizeof(Stamp), cudaMemcpyDeviceToHost));
          uint64_t a = ~0ull, b = 0, c = 0; for (auto& x : s) a = std::min(a, x.w0), b = std::max(b, x.w1), c = std::max(c, x.c);
          ns.push_back(double(b - a)); cy.push_back(double(c));
        }
        std::sort(ns.begin(), ns.end()); std::sort(cy.begin(), cy.end());
        if (!counted) printf("%d,%d,%d,%d,%d,%.0f,%.0f\n", lines, sectors, blocks, threads, reads, ns[ns.size() / 2], cy[cy.size() / 2]);
      }
  return 0;
}
