// SPDX-License-Identifier: Apache-2.0
// Bytes of an image go through a table in constant memory; the repaired kernel reads it through the L1.
__constant__ float gamma_of[256];
extern "C" __global__ void planted(const unsigned char* image, const float* table, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#pragma unroll 2
  for (int k = 0; k < n; ++k) out[k * all + at] = gamma_of[image[k * all + at]];  // defect
}
extern "C" __global__ void repaired(const unsigned char* image, const float* table, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
#pragma unroll 2
  for (int k = 0; k < n; ++k) out[k * all + at] = __ldg(table + image[k * all + at]);
}
