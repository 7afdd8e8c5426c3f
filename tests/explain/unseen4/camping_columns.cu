// SPDX-License-Identifier: Apache-2.0
// Each warp walks a column of whole lines down a matrix whose rows are 4 KiB: on a machine that interleaves its slices by
// address all lines lie in one. Repaired, rows are one line longer, as cudaMallocPitch may make them.
extern "C" __global__ void planted(const float* m, float* out, int rows) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
#pragma unroll 8
  for (int y = 0; y < rows; ++y) sum += m[(warp * rows + y) * 1024 + threadIdx.x % 32];  // defect
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const float* m, float* out, int rows) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
#pragma unroll 8
  for (int y = 0; y < rows; ++y) sum += m[(warp * rows + y) * 1056 + threadIdx.x % 32];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
