// SPDX-License-Identifier: Apache-2.0
// The force between particles has the cube of a distance, by powf. Repaired, it is two products.
#include <cmath>
extern "C" __global__ void planted(const float* at, float* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float d = fabsf(x - at[k]) + 0.01f;
    sum += powf(d, 3.0f);  // defect
  }
  force[i] = sum;
}
extern "C" __global__ void repaired(const float* at, float* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float d = fabsf(x - at[k]) + 0.01f;
    sum += d * d * d;
  }
  force[i] = sum;
}
