// SPDX-License-Identifier: Apache-2.0
// Every second element is read, first the even ones, then the odd ones.
extern "C" __global__ void planted(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[2 * (k * all + at)];  // defect
  out[at] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[k * all + at];
  out[at] = sum;
}
