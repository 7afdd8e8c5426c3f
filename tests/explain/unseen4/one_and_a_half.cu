// SPDX-License-Identifier: Apache-2.0
// Lighting: an exponent of one and a half and one of minus a half, by powf. Repaired, by square roots.
#include <cmath>
extern "C" __global__ void planted(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = in[i];
    out[i] = powf(x, 1.5f) + powf(x + 1.0f, -0.5f);  // defect
  }
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = in[i];
    out[i] = x * __fsqrt_rn(x) + rsqrtf(x + 1.0f);
  }
}
