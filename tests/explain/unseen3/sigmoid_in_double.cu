// SPDX-License-Identifier: Apache-2.0
// A gate of a network whose literals and functions are double. Repaired, they are float.
#include <cmath>
extern "C" __global__ void planted(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] * (1.0 / (1.0 + exp(-1.702 * in[i])));  // defect
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] * (1.0f / (1.0f + expf(-1.702f * in[i])));
}
