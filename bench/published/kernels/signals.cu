// SPDX-License-Identifier: Apache-2.0
// Sums of neighbours under a mask (a convolution of one dimension), with a result that is held between 0 and 1 as doubles:
// from global memory, with the mask in constant memory, through a tile with its halo, and through a tile without it.
#include <cstdint>

namespace {

__constant__ float constant_mask[32];

// As PTX, since compilers differ in whether they make one cvt.sat of the two; ptxas compares twice in either case.
__device__ float held(float x) {
  double y = x;
  asm("max.f64 %0, %1, 0d0000000000000000; min.f64 %0, %0, 0d3FF0000000000000;" : "=&d"(y) : "d"(y));
  return static_cast<float>(y);
}

__device__ float from_memory(const float* in, const float* mask, int taps, int n, int i) {
  float sum = 0;
  const int first = i - taps / 2;
  for (int j = 0; j < taps; ++j)
    if (first + j >= 0 && first + j < n) sum += in[first + j] * mask[j];
  return sum;
}

}  // namespace

extern "C" __global__ void mask_global(const float* in, const float* mask, float* out, int taps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = held(from_memory(in, mask, taps, n, i));
}

extern "C" __global__ void mask_constant(const float* in, float* out, int taps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = held(from_memory(in, constant_mask, taps, n, i));
}

extern "C" __global__ void mask_halo(const float* in, float* out, int taps, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, side = taps / 2, width = blockDim.x;
  const int t = threadIdx.x, before = i - width, behind = i + width;
  if (t >= width - side) tile[t - (width - side)] = before < 0 ? 0 : in[before];
  tile[side + t] = in[i];
  if (t < side) tile[side + width + t] = behind >= n ? 0 : in[behind];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < taps; ++j) sum += tile[t + j] * constant_mask[j];
  out[i] = held(sum);
}

extern "C" __global__ void mask_tile(const float* in, float* out, int taps, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  const int begin = blockIdx.x * blockDim.x, end = begin + blockDim.x, first = i - taps / 2;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const int at = first + j;
    if (at < 0 || at >= n) continue;
    const float x = at >= begin && at < end ? tile[at - begin] : in[at];
    sum += x * constant_mask[j];
  }
  out[i] = held(sum);
}
