// SPDX-License-Identifier: Apache-2.0
// The first block has ten times the work of each other one, so one SM works on when the other has nothing left.
// Repaired, the same work is shared out evenly.
__device__ void work(const float* in, float* out, int turns) {
  float x[8];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = in[at] + i;
#pragma unroll 1
  for (int k = 0; k < turns; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = x[i] * 0.5f + 1.0f;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  out[at] = sum;
}
extern "C" __global__ void planted(const float* in, float* out, int n) { work(in, out, blockIdx.x == 0 ? 10 * n : n); }
extern "C" __global__ void repaired(const float* in, float* out, int n) { work(in, out, n * (gridDim.x + 9) / gridDim.x); }
