// SPDX-License-Identifier: Apache-2.0
// An energy: every element is added to one word by an atomic. Repaired, a thread adds up what it has, then the block does.
extern "C" __global__ void planted(const float* x, float* energy, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(energy, x[i] * x[i]);  // defect
}
extern "C" __global__ void repaired(const float* x, float* energy, int n) {
  __shared__ float sums[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * x[i];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += sums[w];
    atomicAdd(energy, sum);
  }
}
