// SPDX-License-Identifier: Apache-2.0
// What does an SM's first access of a kernel cost beside later ones, where its code and constants have come
// before? Two turns of the loop load nothing. A line: `first`, store before, blocks, step, launch, wave, the
// median over blocks of each load's cycles.
#include <algorithm>
#include <vector>

#include "../harness.cuh"
constexpr int kLoads = 10;
__global__ void first(unsigned* out, const char* in, size_t step, int store) {
  extern __shared__ volatile unsigned pin[];
  const char* p = in;
#pragma unroll 1
  for (int k = 0; k < kLoads + 2; ++k) {
    const unsigned t0 = now();
    unsigned v = 0;
    if (k >= 2) {
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      p += step;
    }
    pin[0] = v;
    const unsigned t1 = now();
    pin[1 + k] = t1 - t0;
    if (k == 1 && store)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(out + 64 * 1024 + blockIdx.x * 64), "r"(t1) : "memory");
    if (k == 1 && store)
      for (unsigned b = now(); now() - b < 4000;) {
      }
  }
  for (int k = 0; k < kLoads + 2; ++k) out[blockIdx.x * 16 + k] = pin[1 + k];
}
int main() {
  char* in;
  unsigned* out;
  const size_t most = size_t{6} << 30;
  OK(cudaMalloc(&in, most));
  OK(cudaMalloc(&out, 1 << 22));
  OK(cudaMemset(in, 0, most));
  OK(cudaFuncSetAttribute(first, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  std::vector<unsigned> h(264 * 16);
  for (int store : {0, 1})
    for (int blocks : {1, 132, 264})
      for (size_t step : {size_t{128}, size_t{4096}, size_t{65536}, size_t{2} << 20, size_t{16} << 20,
                          size_t{32} << 20, size_t{64} << 20, size_t{512} << 20})
        for (int launch = 0; launch < 4; ++launch) {
          first<<<blocks, 32, 200 << 10>>>(out, in, step, store);
          OK(cudaDeviceSynchronize());
          OK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
          if (launch == 0) continue;
          for (int wave = 0; wave < (blocks + 131) / 132; ++wave) {
            std::printf("first,%d,%d,%zu,%d,%d", store, blocks, step, launch, wave);
            for (int k = 0; k < kLoads + 2; ++k) {
              std::vector<unsigned> v;
              for (int b = wave * 132; b < std::min(blocks, wave * 132 + 132); ++b)
                v.push_back(h[b * 16 + k]);
              std::sort(v.begin(), v.end());
              std::printf(",%u", v[v.size() / 2]);
            }
            std::printf("\n");
          }
        }
}
