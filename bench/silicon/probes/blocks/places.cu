// SPDX-License-Identifier: Apache-2.0
// Which SM gets which block of a grid whose blocks stand together (they wait for a time).
#include <vector>
#include "../harness.cuh"
__device__ unsigned smid() { unsigned r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
struct S { uint64_t clock; unsigned sm, pad; };
__global__ void place(S* s, unsigned wait) {
  const uint64_t b = now64();
  if (threadIdx.x == 0) s[blockIdx.x] = {b, smid(), 0};
  while (now64() - b < wait) {}
}
int main() {
  S* s; OK(cudaMalloc(&s, 1 << 20)); std::vector<S> h(1 << 14);
  OK(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  for (int k = 0; k < 2; ++k) { place<<<132, 32, 150 * 1024>>>(s, 200000); OK(cudaDeviceSynchronize()); }
  OK(cudaMemcpy(h.data(), s, 132 * sizeof(S), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 132; ++i) printf("clock,%d,%u,%llu\n", i, h[i].sm, (unsigned long long)h[i].clock);  // SMs of a GPC count from one start
  auto go = [&](int grid, int threads, int shared) {
    for (int k = 0; k < 2; ++k) { place<<<grid, threads, shared>>>(s, 30000); OK(cudaGetLastError()); OK(cudaDeviceSynchronize()); }
    OK(cudaMemcpy(h.data(), s, grid * sizeof(S), cudaMemcpyDeviceToHost));
    printf("place,%d,%d,%d", grid, threads, shared); for (int i = 0; i < grid; ++i) printf(",%u", h[i].sm); printf("\n");
  };
  for (int g : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 48, 56, 60, 64, 66, 68, 72, 80, 88, 96, 100, 104, 112, 120, 124, 128, 130, 131, 132, 133, 136, 140, 148, 164, 180, 196, 220, 256, 262, 264, 265, 280, 300, 330, 396, 400, 512, 528, 600, 1056}) go(g, 256, 0);
  for (int g : {4, 16, 32, 64, 100, 128, 132, 140, 256, 512}) { go(g, 32, 0); go(g, 1024, 0); go(g, 1024, 120 * 1024); go(g, 256, 100 * 1024); }
  for (int g : {64, 128}) go(g, 256, 0);
}
