// SPDX-License-Identifier: Apache-2.0
// Are two lines late together? Two warps of one block each read a line that nobody has read, at the same
// time, `distance` bytes apart. A row: distance, pairs, how often the first was late, the second, and both
// (850 cycles or more, of the near side and the far one alike), then mean cycles of the first, the second,
// and the later one. `pairs [PAIRS, where no clock has to come up]`
#include <algorithm>
#include <vector>

#include "memory.cuh"

constexpr unsigned kLate = 850;

__global__ void pairs(const char* memory, size_t first, size_t distance, int n, unsigned* took, float* out) {
  const size_t warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const size_t place = spread(first + i) * kLine & (kBytes - 1) & ~distance;
    __syncthreads();
    const unsigned cycles = cycles_of(memory + (place | warp * distance), sum);
    if (threadIdx.x % 32 == 0) took[warp * n + i] = cycles;
  }
  if (sum == 12345.f) *out = sum;
}

int main(int count, char** arguments) {
  const bool quick = count > 1;
  const int n = quick ? std::atoi(arguments[1]) : 20000;
  char* memory = allocate<char>(kBytes);
  unsigned* took = allocate<unsigned>(2 * n);
  float* out = allocate<float>(1);
  if (!quick) {
    OK(cudaMemset(memory, 0, kBytes));  // pages are touched
    raise_clock();
  }
  size_t first = 0;
  for (size_t distance = kLine; distance <= size_t{1} << 28; distance *= 2, first += n) {
    pairs<<<1, 64>>>(memory, first, distance, n, took, out);
    std::vector<unsigned> one(n), other(n);
    fetch(one.data(), took, n);
    fetch(other.data(), took + n, n);
    int late_one = 0, late_other = 0, late_both = 0;
    double sum_one = 0, sum_other = 0, sum_later = 0;
    for (int i = 0; i < n; ++i) {
      late_one += one[i] >= kLate;
      late_other += other[i] >= kLate;
      late_both += std::min(one[i], other[i]) >= kLate;
      sum_one += one[i];
      sum_other += other[i];
      sum_later += std::max(one[i], other[i]);
    }
    std::printf("%zu,%d,%d,%d,%d,%.0f,%.0f,%.0f\n", distance, n, late_one, late_other, late_both, sum_one / n,
                sum_other / n, sum_later / n);
  }
}
