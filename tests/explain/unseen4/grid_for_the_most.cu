// SPDX-License-Identifier: Apache-2.0
// A grid for the longest list there may be, launched for a short one: nearly all blocks end at once. Repaired, the grid
// is what the list needs.
extern "C" __global__ void planted(const float* in, int length, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  out[i] = in[i] * 0.5f;
}
extern "C" __global__ void repaired(const float* in, int length, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  out[i] = in[i] * 0.5f;
}
