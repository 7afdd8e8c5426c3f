// SPDX-License-Identifier: Apache-2.0
// A generator of random numbers that is 64 bits wide, for draws of 16 bits. Repaired, it has 32.
extern "C" __global__ void planted(float* out) {
  const unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long at = i;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    at = (at * 6364136223846793005ull + 1442695040888963407ull) ^ (at >> 29);  // defect
    at = (at * at + i * k) * 2862933555777941757ull;                         // defect
    sum += static_cast<float>(static_cast<unsigned>(at >> 48));
  }
  out[i] = sum;
}
extern "C" __global__ void repaired(float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = i;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    at = (at * 747796405u + 2891336453u) ^ (at >> 15);
    at = (at * at + i * k) * 277803737u;
    sum += static_cast<float>(at >> 16);
  }
  out[i] = sum;
}
