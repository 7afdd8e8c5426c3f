// SPDX-License-Identifier: Apache-2.0
// A random walk through a table, whose generator and index are 64 bits wide. Repaired, they have 32, which the table's size
// allows.
extern "C" __global__ void planted(const float* table, float* out, unsigned long long size) {
  const unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long at = i;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    at = (at * 6364136223846793005ull + 1442695040888963407ull) ^ (at >> 29);  // defect
    at = (at * at + i * k) * 2862933555777941757ull;                         // defect
    sum += table[(at >> 17) & (size - 1)];
  }
  out[i] = sum;
}
extern "C" __global__ void repaired(const float* table, float* out, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = i;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    at = (at * 747796405u + 2891336453u) ^ (at >> 15);
    at = (at * at + i * k) * 277803737u;
    sum += table[(at >> 17) & (size - 1)];
  }
  out[i] = sum;
}
