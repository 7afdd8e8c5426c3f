// SPDX-License-Identifier: Apache-2.0
// Are two lines late together? Two warps of one block each read a line that nobody has read, at the same
// time, `distance` bytes apart. A row: distance, pairs, how often the first was late, the second, and both.
// Late: 850 cycles or more, near or far side alike.
#include <vector>

#include "../harness.cuh"
constexpr size_t kBytes = size_t{4} << 30;
__device__ size_t spread(size_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  return x;
}
__global__ void pairs(const char* memory, size_t first, size_t distance, int n, unsigned* took, float* out) {
  const size_t warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const size_t at =
        (((spread(first + i) & (kBytes / 128 - 1)) * 128 & ~(distance)) | warp * distance) & (kBytes - 1);
    const char* line = memory + at + threadIdx.x % 32 * 4;
    asm volatile("" : "+l"(line));
    __syncthreads();
    const unsigned t = now();
    float x;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(line) : "memory");
    sum += x;
    asm volatile("" ::"f"(sum) : "memory");
    const unsigned d = now() - t;
    if (threadIdx.x % 32 == 0) took[warp * n + i] = d;
  }
  if (sum == 12345.f) *out = sum;
}
__global__ void spin(unsigned cycles) {
  for (const unsigned begin = now(); now() - begin < cycles;) {
  }
}
int main(int count, char** a) {
  const int n = count > 1 ? atoi(a[1]) : 20000;
  char* memory;
  unsigned* took;
  float* out;
  OK(cudaMalloc(&memory, kBytes));
  OK(cudaMalloc(&took, 2 * n * 4));
  OK(cudaMalloc(&out, 4));
  if (count <= 1) OK(cudaMemset(memory, 0, kBytes));
  for (int i = 0; count <= 1 && i < 100; ++i) spin<<<132, 128>>>(2000000);
  size_t first = 0;
  for (size_t d = 128; d <= size_t{1} << 28; d *= 2) {
    pairs<<<1, 64>>>(memory, first, d, n, took, out);
    first += n;
    std::vector<unsigned> v(2 * n);
    OK(cudaMemcpy(v.data(), took, v.size() * 4, cudaMemcpyDeviceToHost));
    int c[4] = {0, 0, 0, 0};
    double m[2] = {0, 0}, mx = 0;
    for (int i = 0; i < n; ++i) {
      ++c[(v[i] >= 850) + 2 * (v[n + i] >= 850)];
      m[0] += v[i];
      m[1] += v[n + i];
      mx += std::max(v[i], v[n + i]);
    }
    printf("%zu,%d,%d,%d,%d,%.0f,%.0f,%.0f\n", d, n, c[1] + c[3], c[2] + c[3], c[3], m[0] / n, m[1] / n,
           mx / n);
  }
}
