// SPDX-License-Identifier: Apache-2.0
// Lanes write whole rows apart.
extern "C" __global__ void planted(float* out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) out[row * n + k] = static_cast<float>(row + k);  // defect
}
extern "C" __global__ void repaired(float* out, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, width = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) out[k * width + column] = static_cast<float>(column + k);
}
