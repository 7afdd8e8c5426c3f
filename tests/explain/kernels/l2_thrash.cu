// SPDX-License-Identifier: Apache-2.0
// Passes over 1 MiB, four times what L2 holds; the repaired kernel makes all passes over a part that fits.
extern "C" __global__ void planted(const float* in, float* out, int n, int passes) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int p = 0; p < passes; ++p)
#pragma unroll 4
    for (int k = at; k < n; k += all) sum += __ldcg(in + k);  // defect
  out[at] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n, int passes) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 1
  for (int part = 0; part < n; part += n / 8)
#pragma unroll 1
    for (int p = 0; p < passes; ++p)
#pragma unroll 4
      for (int k = at; k < n / 8; k += all) sum += __ldcg(in + part + k);
  out[at] = sum;
}
