// SPDX-License-Identifier: Apache-2.0
// How fast memory takes what kernels only write: MiB written, blocks, way (0 a grid-stride loop of 16 bytes a thread, 1 each block its own piece), ns
// of the first of a pair behind a flush of L2, of the second, of the pair, and where each SM stood when: the last end of a block by eighths of the time.
#include <cstdio>
#include <vector>
#include <algorithm>
extern "C" __global__ void stream(float4* p, size_t n) {
  const float4 v = {1, 2, 3, 4};
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = v;
}
extern "C" __global__ void pieces(float4* p, size_t n) {
  const float4 v = {1, 2, 3, 4};
  const size_t each = n / gridDim.x;
  p += blockIdx.x * each;
  for (size_t i = threadIdx.x; i < each; i += blockDim.x) p[i] = v;
}
// Every warp notes the device's clock after each of 64 parts of its work.
extern "C" __global__ void pace(float4* p, size_t n, unsigned long long* t) {
  const float4 v = {1, 2, 3, 4};
  const size_t step = (size_t)gridDim.x * blockDim.x, part = n / step / 64;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; ++k) {
    for (size_t r = 0; r < part; ++r, i += step) p[i] = v;
    if (threadIdx.x == 0) {
      unsigned long long g;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g)::"memory");
      t[blockIdx.x * 64 + k] = g;
    }
  }
}
int main() {
  const size_t most = size_t{4} << 30;
  float4* p; cudaMalloc(&p, most);
  float4* other; cudaMalloc(&other, 256 << 20);
  cudaEvent_t a, b, c; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventCreate(&c);
  puts("mib,blocks,threads,way,first_ns,second_ns");
  for (size_t mib : {8, 16, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096})
    for (int blocks : {132, 264, 1056})
      for (int way : {0, 1}) {
        float best1 = 1e9, best2 = 1e9;
        for (int run = 0; run < 4; ++run) {
          cudaMemset(other, run, 256 << 20);
          cudaDeviceSynchronize();
          const size_t n = mib << 16;
          cudaEventRecord(a);
          way ? pieces<<<blocks, 512>>>(p, n) : stream<<<blocks, 512>>>(p, n);
          cudaEventRecord(b);
          way ? pieces<<<blocks, 512>>>(p, n) : stream<<<blocks, 512>>>(p, n);
          cudaEventRecord(c);
          cudaDeviceSynchronize();
          float ms; cudaEventElapsedTime(&ms, a, b); best1 = std::min(best1, ms); cudaEventElapsedTime(&ms, b, c); best2 = std::min(best2, ms);
        }
        printf("%zu,%d,512,%d,%.0f,%.0f\n", mib, blocks, way, best1 * 1e6, best2 * 1e6);
      }
  unsigned long long* t; cudaMalloc(&t, 264 * 64 * 8); std::vector<unsigned long long> h(264 * 64);
  for (size_t mib : {64, 128, 256, 528}) {
    for (int run = 0; run < 2; ++run) { cudaMemset(other, run, 256 << 20); cudaDeviceSynchronize(); pace<<<264, 512>>>(p, mib << 16, t); cudaDeviceSynchronize(); }
    cudaMemcpy(h.data(), t, h.size() * 8, cudaMemcpyDeviceToHost);
    unsigned long long begin = *std::min_element(h.begin(), h.end());
    printf("pace,%zu", mib);
    for (int k = 0; k < 64; ++k) { double m = 0; for (int b2 = 0; b2 < 264; ++b2) m += h[b2 * 64 + k] - begin; printf(",%.0f", m / 264); }
    puts("");
  }
  return 0;
}
