// SPDX-License-Identifier: Apache-2.0
// Few warps, each of which waits for its load in every turn; repaired, there are more warps, and sixteen loads on
// their way in each.
extern "C" __global__ void planted(const float* in, float* out, int n) {
  const int all = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += all) sum += in[at];  // defect
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  const int all = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += 16 * all) {
    float x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = in[at + i * all];
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += x[i];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
