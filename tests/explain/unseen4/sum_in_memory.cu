// SPDX-License-Identifier: Apache-2.0
// A product of a matrix and a vector that adds into its result in global memory at each step. Repaired, it adds into a
// register and stores once.
extern "C" __global__ void planted(const float* m, const float* v, float* out, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  out[column] = 0;
  for (int y = 0; y < height; ++y) out[column] += v[y] * m[y * width + column];  // defect
}
extern "C" __global__ void repaired(const float* m, const float* v, float* out, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int y = 0; y < height; ++y) sum += v[y] * m[y * width + column];
  out[column] = sum;
}
