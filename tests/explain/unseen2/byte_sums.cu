// SPDX-License-Identifier: Apache-2.0
// Four bytes of a word are made floats one by one to be added up; the repaired kernel adds integers.
extern "C" __global__ void planted(const unsigned* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at];
  float sum = 0;
#pragma unroll 2
  for (int k = 0; k < n; ++k) {
    sum += static_cast<float>(v & 255) + static_cast<float>(v >> 8 & 255);         // defect
    sum += static_cast<float>(v >> 16 & 255) + static_cast<float>(v >> 24 & 255);  // defect
    v = v * 5 + 1;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const unsigned* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at], sum = 0;
#pragma unroll 2
  for (int k = 0; k < n; ++k) {
    sum += (v & 255) + (v >> 8 & 255);
    sum += (v >> 16 & 255) + (v >> 24 & 255);
    v = v * 5 + 1;
  }
  out[at] = static_cast<float>(sum);
}
