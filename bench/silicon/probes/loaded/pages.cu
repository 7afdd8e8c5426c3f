// SPDX-License-Identifier: Apache-2.0
// What does it cost to be the first to touch a page? One thread follows a chain through memory, one load at a
// time, `step` bytes apart. A row: what was done with the memory before (nothing since the allocation, such a
// chain, or a memset of all of it), step in KiB, loads, mean cycles of a load, then the cycles of the
// first 16.
#include <vector>

#include "../harness.cuh"

constexpr int kLoads = 128;

// Each address depends on what was loaded before it, of which `none`, a zero, leaves nothing.
__global__ void chain(const char* from, size_t step, unsigned none, unsigned* took, unsigned* out) {
  unsigned value = 0;
  for (int i = 0; i < kLoads; ++i) {
    const unsigned begin = now();
    value = __ldcv(reinterpret_cast<const unsigned*>(from + i * step + value)) & none;
    asm volatile("" ::"r"(value) : "memory");
    took[i] = now() - begin + value;
  }
  *out = value;
}

unsigned *took, *out;

void ask(const char* before, const char* from, size_t step) {
  chain<<<1, 1>>>(from, step, 0, took, out);
  OK(cudaDeviceSynchronize());
  std::vector<unsigned> cycles(kLoads);
  OK(cudaMemcpy(cycles.data(), took, kLoads * 4, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 1; i < kLoads; ++i) sum += cycles[i];
  std::printf("%s,%zu,%d,%.0f", before, step >> 10, kLoads, sum / (kLoads - 1));
  for (int i = 0; i < 16; ++i) std::printf(",%u", cycles[i]);
  std::printf("\n");
}

int main() {
  OK(cudaMalloc(&took, kLoads * 4));
  OK(cudaMalloc(&out, 4));
  char* spare;
  OK(cudaMalloc(&spare, size_t{1} << 20));
  OK(cudaMemset(spare, 0, size_t{1} << 20));
  ask("code", spare, 128);  // brings the code
  for (const size_t step :
       {size_t{64} << 10, size_t{2} << 20, size_t{8} << 20, size_t{16} << 20, size_t{32} << 20}) {
    char* fresh;
    const size_t bytes = step * kLoads + 4096;
    OK(cudaMalloc(&fresh, bytes));
    ask("nothing", fresh, step);
    ask("chain", fresh + 2048, step);  // other lines of the same pages
    OK(cudaMemset(fresh, 0, bytes));
    ask("memset", fresh + 2048, step);
    OK(cudaFree(fresh));
  }
}
