// SPDX-License-Identifier: Apache-2.0
// A filter along a row. The compiler cannot know that `out` is not one of the factors, so it loads them again after
// every store. Repaired, the pointers are __restrict__.
__device__ __forceinline__ void store(float* out, int at, float v) { out[at] = v; }
extern "C" __global__ void planted(const float* in, const float* factors, float* out, int width) {
  const int row = blockIdx.x, first = threadIdx.x;
#pragma unroll 4
  for (int x = first; x < width; x += blockDim.x) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) sum += factors[k] * in[row * (width + 4) + x + k];  // defect
    store(out, row * width + x, sum);
  }
}
extern "C" __global__ void repaired(const float* __restrict__ in, const float* __restrict__ factors, float* __restrict__ out, int width) {
  const int row = blockIdx.x, first = threadIdx.x;
#pragma unroll 4
  for (int x = first; x < width; x += blockDim.x) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) sum += factors[k] * in[row * (width + 4) + x + k];
    store(out, row * width + x, sum);
  }
}
