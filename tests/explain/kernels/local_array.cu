// SPDX-License-Identifier: Apache-2.0
// An array of a thread that is indexed at run time lies in local memory; the repaired kernel has it in shared.
extern "C" __global__ void planted(const int* in, int* out, int n) {
  int bins[16];
  for (int i = 0; i < 16; ++i) bins[i] = 0;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    v = v * 1664525 + 1013904223;
    bins[(v >> 16) & 15] += k;  // defect
  }
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += bins[i] * i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const int* in, int* out, int n) {
  __shared__ int bins[16 * 128];
  for (int i = 0; i < 16; ++i) bins[i * 128 + threadIdx.x] = 0;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    v = v * 1664525 + 1013904223;
    bins[((v >> 16) & 15) * 128 + threadIdx.x] += k;
  }
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += bins[i * 128 + threadIdx.x] * i;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
