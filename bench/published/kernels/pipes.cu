// SPDX-License-Identifier: Apache-2.0
// Rates of pipes: eight chains a thread of one operation; 64 of them a turn.
#include <cuda_fp16.h>

template <class T, class Step>
__device__ void chains(T* out, int turns, T x, T y, Step step) {
  T v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = x;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 8; ++u)
#pragma unroll
      for (int k = 0; k < 8; ++k) v[k] = step(v[k], x, y);
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * blockDim.x + threadIdx.x] = v[k];
}
extern "C" __global__ void rate_ffma(float* out, int turns, float x, float y) {
  chains(out, turns, x, y, [](float a, float b, float c) { return fmaf(a, b, c); });
}
extern "C" __global__ void rate_dfma(double* out, int turns, double x, double y) {
  chains(out, turns, x, y, [](double a, double b, double c) { return fma(a, b, c); });
}
extern "C" __global__ void rate_hfma2(__half2* out, int turns, __half2 x, __half2 y) {
  chains(out, turns, x, y, [](__half2 a, __half2 b, __half2 c) { return __hfma2(a, b, c); });
}
extern "C" __global__ void rate_imad(int* out, int turns, int x, int y) {
  chains(out, turns, x, y, [](int a, int b, int c) { return a * b + c; });
}
extern "C" __global__ void rate_imad64(long long* out, int turns, long long x, long long y) {
  chains(out, turns, x, y, [](long long a, long long b, long long c) { return a * b + c; });
}
extern "C" __global__ void rate_dp4a(int* out, int turns, int x, int y) {
  chains(out, turns, x, y, [](int a, int b, int c) { return __dp4a(b, c, a); });
}

// Short threads, as OpenCL-Benchmark has them: two values that each step makes of each other, 256 or 128 operations in all, then
// a store. With blocks of 64 threads a part of the time is their coming and going.
extern "C" __global__ void short_dfma(float* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  double x = at, y = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 128; ++i) {
    x = fma(y, x, y);
    y = fma(x, y, x);
  }
  out[at] = static_cast<float>(y);
}
extern "C" __global__ void short_dp4a(int* out) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  int x = static_cast<int>(at), y = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    x = __dp4a(y, x, y);
    y = __dp4a(x, y, x);
  }
  out[at] = y;
}
