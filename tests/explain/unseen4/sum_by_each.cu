// SPDX-License-Identifier: Apache-2.0
// A softmax whose threads all find the sum of their row for themselves. Repaired, the block finds it once.
extern "C" __global__ void planted(const float* in, float* out, int width) {
  const float* row = in + blockIdx.x * width;
  float sum = 0;
#pragma unroll 4
  for (int x = 0; x < width; ++x) sum += __expf(row[x]);  // defect
  for (int x = threadIdx.x; x < width; x += blockDim.x) out[blockIdx.x * width + x] = __fdividef(__expf(row[x]), sum);
}
extern "C" __global__ void repaired(const float* in, float* out, int width) {
  __shared__ float parts[8];
  const float* row = in + blockIdx.x * width;
  float sum = 0;
  for (int x = threadIdx.x; x < width; x += blockDim.x) sum += __expf(row[x]);
  for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < blockDim.x / 32; ++k) sum += parts[k];
  for (int x = threadIdx.x; x < width; x += blockDim.x) out[blockIdx.x * width + x] = __fdividef(__expf(row[x]), sum);
}
