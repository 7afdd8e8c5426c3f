// SPDX-License-Identifier: Apache-2.0
// All threads of all blocks walk through the same array, an element at a time, from global memory; the repaired kernel takes it into
// shared memory a tile at a time.
extern "C" __global__ void planted(const float* points, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float d = x - points[k];  // defect
    sum += d * d;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const float* points, float* out, int n) {
  __shared__ float tile[256];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at;
  float sum = 0;
#pragma unroll 1
  for (int first = 0; first < n; first += 256) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = points[first + i];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) {
      const float d = x - tile[k];
      sum += d * d;
    }
    __syncthreads();
  }
  out[at] = sum;
}
