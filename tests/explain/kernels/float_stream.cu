// SPDX-License-Identifier: Apache-2.0
// A stream of floats that 16 bits would hold: memory is busy all the time.
struct alignas(8) Halves {
  unsigned short x[4];
};
extern "C" __global__ void planted(const float4* in, const Halves*, float* out, int n) {
  const int all = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 4
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += all) {
    const float4 v = in[at];  // defect
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void repaired(const float4*, const Halves* in, float* out, int n) {
  const int all = gridDim.x * blockDim.x;
  int sum = 0;
#pragma unroll 4
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += all) {
    const Halves v = in[at];
    sum += v.x[0] + v.x[1] + v.x[2] + v.x[3];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<float>(sum);
}
