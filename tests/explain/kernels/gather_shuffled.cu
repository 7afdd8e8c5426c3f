// SPDX-License-Identifier: Apache-2.0
// A gather through shuffled indices; the repaired launch has sorted ones.
__device__ void gather(const float* in, const unsigned* index, float* out, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[index[k * all + at]];  // defect
  out[at] = sum;
}
extern "C" __global__ void planted(const float* in, const unsigned* index, const unsigned*, float* out, int n) {
  gather(in, index, out, n);
}
extern "C" __global__ void repaired(const float* in, const unsigned*, const unsigned* sorted, float* out, int n) {
  gather(in, sorted, out, n);
}
