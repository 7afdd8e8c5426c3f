// SPDX-License-Identifier: Apache-2.0
// A sparse product with a thread for each row: neighbouring lanes read places far apart. Repaired, a warp takes a row.
extern "C" __global__ void planted(const unsigned* column, const float* value, const float* x, float* y, int rows, int in_row) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = row * in_row; k < (row + 1) * in_row; ++k) sum += value[k] * x[column[k] & 1023];  // defect
  y[row] = sum;
}
extern "C" __global__ void repaired(const unsigned* column, const float* value, const float* x, float* y, int rows, int in_row) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = row * in_row + lane; k < (row + 1) * in_row; k += 32) sum += value[k] * x[column[k] & 1023];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}
