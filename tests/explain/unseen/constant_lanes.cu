// SPDX-License-Identifier: Apache-2.0
// A table in constant memory of which each lane reads another word; the repaired kernel has it in shared memory.
__constant__ float table[256];
extern "C" __global__ void planted(const unsigned* in, float* out, int n) {
  unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += table[(v >> 16) & 255];  // defect
    v = v * 1664525u + 1013904223u;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const unsigned* in, float* out, int n) {
  __shared__ float copy[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) copy[i] = table[i];
  __syncthreads();
  unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += copy[(v >> 16) & 255];
    v = v * 1664525u + 1013904223u;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
