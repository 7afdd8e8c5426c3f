// SPDX-License-Identifier: Apache-2.0
// A flag that may stop the work is read in each step as volatile; the repaired kernel looks every 16 steps.
template <int kEvery>
__device__ void steps(const volatile int* stop, const float* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at];
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (k % kEvery == 0 && *stop != 0) break;  // defect
    x = x * 0.999f + 0.5f;
  }
  out[at] = x;
}
extern "C" __global__ void planted(const int* stop, const float* in, float* out, int n) { steps<1>(stop, in, out, n); }
extern "C" __global__ void repaired(const int* stop, const float* in, float* out, int n) { steps<16>(stop, in, out, n); }
