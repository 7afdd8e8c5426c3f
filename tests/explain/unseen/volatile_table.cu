// SPDX-License-Identifier: Apache-2.0
// A small table that nobody changes is read as volatile, so that each read goes to L2.
template <typename Table>
__device__ void look_up(Table table, const unsigned* in, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[at];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    sum += table[(v + threadIdx.x) & 1023];  // defect
    v += 32;
  }
  out[at] = sum;
}
extern "C" __global__ void planted(const volatile float* table, const unsigned* in, float* out, int n) { look_up(table, in, out, n); }
extern "C" __global__ void repaired(const float* table, const unsigned* in, float* out, int n) { look_up(table, in, out, n); }
