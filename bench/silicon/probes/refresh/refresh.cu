// SPDX-License-Identifier: Apache-2.0
// How long do loads wait for refreshes of memory? One thread of each of `sms` SMs loads one line after another, each
// once, at random places of 512 MiB. A row a load: SMs at work, SM, the cycle at which it began, the cycles it took.
#include <vector>

#include "../harness.cuh"

constexpr int kLoads = 12000;

__global__ void chase(const unsigned* base, unsigned lines, unsigned sms, uint2* out) {
  __shared__ uint2 log[kLoads / 3];
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm >= sms) return;
  unsigned v = 0;
  const unsigned first = now();
  for (int part = 0; part < 3; ++part) {
    for (int i = 0; i < kLoads / 3; ++i) {
      const unsigned k = (part * (kLoads / 3) + i) * sms + sm;
      const size_t at = (size_t{k} * 2654435761u ) % lines;
      const unsigned t = now();
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(base + at * 32) : "memory");
      *(volatile unsigned*)&log[i].x = v;  // waits for the load
      const unsigned e = now();
      log[i] = make_uint2(t - first, e - t);
    }
    for (int i = 0; i < kLoads / 3; ++i) out[sm * kLoads + part * (kLoads / 3) + i] = log[i];
  }
}

int main() {
  const size_t bytes = size_t{512} << 20;
  unsigned* base;
  uint2* out;
  OK(cudaMalloc(&base, bytes));
  OK(cudaMalloc(&out, 132 * kLoads * 8));
  OK(cudaMemset(base, 0, bytes));
  std::printf("sms,sm,begin,cycles\n");
  for (unsigned sms : {1u, 4u}) {
    OK(cudaMemset(base, 0, bytes));
    chase<<<132, 1>>>(base, unsigned(bytes / 128), sms, out);
    OK(cudaDeviceSynchronize());
    std::vector<uint2> h(132 * kLoads);
    OK(cudaMemcpy(h.data(), out, 132 * kLoads * 8, cudaMemcpyDeviceToHost));
    for (unsigned s = 0; s < sms; ++s)
      for (int i = 0; i < kLoads; ++i)
        std::printf("%u,%u,%u,%u\n", sms, s, h[s * kLoads + i].x, h[s * kLoads + i].y);
  }
  return 0;
}
