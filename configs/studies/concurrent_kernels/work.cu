// SPDX-License-Identifier: Apache-2.0
// One value a thread, read, worked on for so many turns, and written.
extern "C" __global__ void work(float* x, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < turns; ++k) v = v * 0.999f + 0.5f;
  x[i] = v;
}
