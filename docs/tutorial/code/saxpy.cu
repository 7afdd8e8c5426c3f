// SPDX-License-Identifier: Apache-2.0
// y = a * x + y, one element a thread.
__global__ void saxpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
