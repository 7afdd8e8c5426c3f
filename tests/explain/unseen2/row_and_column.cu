// SPDX-License-Identifier: Apache-2.0
// Row and column of each element by a division and a remainder; the repaired kernel walks along rows.
extern "C" __global__ void planted(const float* in, float* out, int n, int width) {
  const int all = gridDim.x * blockDim.x;
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k, at += all) {
    const int row = at / width, column = at % width;  // defect
    sum += row * column;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + in[0];
}
extern "C" __global__ void repaired(const float* in, float* out, int n, int width) {
  const int all = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = all / width, columns = all - rows * width;
  int row = first / width, column = first - row * width;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += row * column;
    row += rows;
    column += columns;
    if (column >= width) {
      column -= width;
      ++row;
    }
  }
  out[first] = sum + in[0];
}
