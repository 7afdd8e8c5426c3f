// SPDX-License-Identifier: Apache-2.0
// The sum of each row. Its parts are added up by the first thread alone, one after the other. Repaired, a warp does it
// by exchanges.
extern "C" __global__ void planted(const float* in, float* out, int width) {
  __shared__ float parts[256];
  float sum = 0;
  for (int x = threadIdx.x; x < width; x += 256) sum += in[blockIdx.x * width + x];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
#pragma unroll 8
    for (int k = 0; k < 256; ++k) all += parts[k];  // defect
    out[blockIdx.x] = all;
  }
}
extern "C" __global__ void repaired(const float* in, float* out, int width) {
  __shared__ float parts[8];
  float sum = 0;
  for (int x = threadIdx.x; x < width; x += 256) sum += in[blockIdx.x * width + x];
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int k = 0; k < 8; ++k) all += parts[k];
    out[blockIdx.x] = all;
  }
}
