// SPDX-License-Identifier: Apache-2.0
// Particles as structures of eight floats, of which one is read; the repaired kernel has an array for each.
struct Particle {
  float x[8];
};
extern "C" __global__ void planted(const Particle* p, float* out, int n) {
  float sum = 0;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += p[i].x[3];  // defect
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const float* p, float* out, int n) {
  float sum = 0;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += p[3 * n + i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
