// SPDX-License-Identifier: Apache-2.0
// Three of four lanes have nothing to do and leave at once; the repaired kernel gives what is left to whole warps.
__device__ void work(const float* in, float* out, int item, int n) {
  float x[2] = {in[item], in[item] + 1};
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i % 2] = x[i % 2] * 0.999f + 0.5f;
  out[item] = x[0] + x[1];
}
extern "C" __global__ void planted(const float* in, float* out, int n) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item % 4 != 0) return;
  work(in, out, item, n);
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= gridDim.x * blockDim.x / 4) return;
  work(in, out, 4 * item, n);
}
