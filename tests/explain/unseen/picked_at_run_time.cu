// SPDX-License-Identifier: Apache-2.0
// Eight values of a thread, of which one is picked by a number known at run time: they go to local memory. The repaired kernel keeps
// them in shared memory, a column a thread.
extern "C" __global__ void planted(const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = in[(at + i) & 1023];
  unsigned r = at;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += v[(r >> 16) & 7];  // defect
    r = r * 1664525u + 1013904223u;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  __shared__ float v[8 * 256];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i * 256 + threadIdx.x] = in[(at + i) & 1023];
  unsigned r = at;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += v[((r >> 16) & 7) * 256 + threadIdx.x];
    r = r * 1664525u + 1013904223u;
  }
  out[at] = sum;
}
