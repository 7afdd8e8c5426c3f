// SPDX-License-Identifier: Apache-2.0
// How much of the pins' bandwidth is left beside refreshes? 4 GiB are read, written and copied by grids of several sizes.
// A row a grid: what, blocks, threads, GB/s of the best of six runs.
#include <algorithm>

#include "../harness.cuh"

__global__ void reads(const float4* x, size_t n, float* out) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  float sum = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i + 3 * step < n; i += 4 * step) {
    const float4 a = __ldcs(x + i), b = __ldcs(x + i + step), c = __ldcs(x + i + 2 * step), d = __ldcs(x + i + 3 * step);
    sum += a.x + b.y + c.z + d.w + a.w + b.x;
  }
  if (sum == 12345.f) *out = sum;
}
__global__ void writes(float4* x, size_t n) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) x[i] = make_float4(1, 2, 3, 4);
}
__global__ void copies(float4* to, const float4* from, size_t n) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) to[i] = from[i];
}

int main() {
  const size_t bytes = size_t{4} << 30, n = bytes / sizeof(float4);
  float4 *x, *y;
  float* out;
  OK(cudaMalloc(&x, bytes));
  OK(cudaMalloc(&y, bytes));
  OK(cudaMalloc(&out, sizeof(float)));
  OK(cudaMemset(x, 0, bytes));
  OK(cudaMemset(y, 0, bytes));
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  const char* names[] = {"read", "write", "copy"};
  for (const int blocks : {132, 264, 528, 1056, 2112})
    for (const int threads : {256, 512, 1024})
      for (int what = 0; what < 3; ++what) {
        float best = 1e9f, ms = 0;
        for (int run = 0; run < 6; ++run) {
          OK(cudaEventRecord(begin));
          if (what == 0) reads<<<blocks, threads>>>(x, n, out);
          if (what == 1) writes<<<blocks, threads>>>(x, n);
          if (what == 2) copies<<<blocks, threads>>>(y, x, n);
          OK(cudaEventRecord(end));
          OK(cudaDeviceSynchronize());
          OK(cudaEventElapsedTime(&ms, begin, end));
          best = std::min(best, ms);
        }
        std::printf("%s,%d,%d,%.1f\n", names[what], blocks, threads, (what == 2 ? 2 : 1) * static_cast<double>(bytes) / best / 1e6);
      }
}
