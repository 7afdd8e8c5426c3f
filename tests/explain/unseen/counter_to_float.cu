// SPDX-License-Identifier: Apache-2.0
// Integers become floats one by one in the inner loop; the repaired kernel counts in floats.
extern "C" __global__ void planted(const int* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[at];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) {
    sum += static_cast<float>(v) * 0.25f;  // defect
    v += 3;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const int* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[at], sum = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) {
    sum += v * 0.25f;
    v += 3;
  }
  out[at] = sum;
}
