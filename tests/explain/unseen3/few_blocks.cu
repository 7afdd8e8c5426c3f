// SPDX-License-Identifier: Apache-2.0
// A loop over the grid with one small block for each SM, so hardly a load is on its way. Repaired, the same loop has
// blocks for all places of the SMs.
__device__ void axpy(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i] + y[i];
}
extern "C" __global__ void planted(const float* x, float* y, int n) { axpy(x, y, n); }
extern "C" __global__ void repaired(const float* x, float* y, int n) { axpy(x, y, n); }
