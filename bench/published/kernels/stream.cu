// SPDX-License-Identifier: Apache-2.0
// Streams through memory, one element a thread. `never` is 0: it keeps shared memory, whose size sets the occupancy, in use.
#include <cstddef>

#define STREAM(name, first, last, body)                                                                              \
  extern "C" __global__ void name(double* a, const double* __restrict__ b, const double* __restrict__ c,            \
                                  const double* __restrict__ d, size_t n, int never) {                              \
    extern __shared__ double shared[];                                                                              \
    const int i = threadIdx.x + blockIdx.x * blockDim.x;                                                            \
    if (i >= n - (last) || i < (first)) return;                                                                     \
    if (never) shared[threadIdx.x] = b[threadIdx.x];                                                                \
    body;                                                                                                           \
    if (never) a[i] = shared[i];                                                                                    \
  }

STREAM(init, 0, 0, a[i] = 0.23)
STREAM(read, 0, 0, const double v = b[i]; if (v == 123.0) a[i] = v + shared[i])
STREAM(scale, 0, 0, a[i] = b[i] * 1.2)
STREAM(triad, 0, 0, a[i] = b[i] * d[i] + c[i])
STREAM(stencil3, 1, 1, a[i] = 0.5 * b[i - 1] - 1.0 * b[i] + 0.5 * b[i + 1])
STREAM(stencil5, 2, 2, a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - 1.0 * b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2])
STREAM(copy, 0, 0, a[i] = b[i])
STREAM(add, 0, 0, a[i] = b[i] + c[i])
STREAM(triad2, 0, 0, a[i] = b[i] + 0.4 * c[i])

// f32: y = 2 x + y, a copy, a copy of four, and sums of what is read.
extern "C" __global__ void saxpy(float* y, const float* __restrict__ x, size_t n) {
  const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
  if (i < n) y[i] = 2.0f * x[i] + y[i];
}
extern "C" __global__ void copy32(float* y, const float* __restrict__ x, size_t n) {
  const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
  if (i < n) y[i] = x[i];
}
extern "C" __global__ void add4(float4* y, const float4* __restrict__ x, const float4* __restrict__ z, size_t n) {
  const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
  if (i >= n) return;
  const float4 p = x[i], q = z[i];
  y[i] = {p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};
}
extern "C" __global__ void relu4(float4* y, const float4* x, size_t n) {
  const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
  if (i >= n) return;
  const float4 p = x[i];
  y[i] = {fmaxf(p.x, 0.0f), fmaxf(p.y, 0.0f), fmaxf(p.z, 0.0f), fmaxf(p.w, 0.0f)};
}
extern "C" __global__ void sigmoid4(float4* y, const float4* x, size_t n) {
  const size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x;
  if (i >= n) return;
  const float4 p = x[i];
  y[i] = {1.0f / (1.0f + expf(-p.x)), 1.0f / (1.0f + expf(-p.y)), 1.0f / (1.0f + expf(-p.z)), 1.0f / (1.0f + expf(-p.w))};
}
// Sixteen elements a thread, a block apart: written, or read and summed.
extern "C" __global__ void write32(float* y, size_t n) {
  size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x * 16;
#pragma unroll
  for (int k = 0; k < 16; ++k, i += blockDim.x)
    if (i < n) y[i] = 1.0f;
}
extern "C" __global__ void read32(float* y, const float* __restrict__ x, size_t n) {
  float sum = 0;
  size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x * 16;
#pragma unroll
  for (int k = 0; k < 16; ++k, i += blockDim.x)
    if (i < n) sum += x[i];
  if (sum == 123.0f) y[0] = sum;
}
extern "C" __global__ void read128(float* y, const float4* __restrict__ x, size_t n) {
  float sum = 0;
  size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x * 16;
#pragma unroll
  for (int k = 0; k < 16; ++k, i += blockDim.x)
    if (i < n) {
      const float4 v = x[i];
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 123.0f) y[0] = sum;
}
// Dot product: threads stride over the arrays, then a tree in shared memory.
extern "C" __global__ void dot(double* sums, const double* __restrict__ a, const double* __restrict__ b, size_t n) {
  __shared__ double part[1024];
  double sum = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(blockDim.x) * gridDim.x) sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
    __syncthreads();
    if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
