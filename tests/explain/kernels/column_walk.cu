// SPDX-License-Identifier: Apache-2.0
// Lanes read a column of a matrix while the loop walks along the row; repaired, rows of 32 lie interleaved.
extern "C" __global__ void planted(const float* m, float* out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < n; ++k) sum += m[row * n + k];  // defect
  out[row] = sum;
}
extern "C" __global__ void repaired(const float* m, float* out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < n; ++k) sum += m[row / 32 * 32 * n + k * 32 + row % 32];
  out[row] = sum;
}
