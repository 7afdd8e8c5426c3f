// SPDX-License-Identifier: Apache-2.0
// Each element is divided by the same number; the repaired kernel multiplies by its reciprocal.
extern "C" __global__ void planted(const float* in, float* out, int n, float norm) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at], sum = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) {
    sum += x / norm;  // defect
    x += 1.5f;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n, float norm) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const float inverse = 1.0f / norm;
  float x = in[at], sum = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) {
    sum += x * inverse;
    x += 1.5f;
  }
  out[at] = sum;
}
