// SPDX-License-Identifier: Apache-2.0
// Coefficients in shared memory are read word by word; the repaired kernel reads four at once.
__shared__ __align__(16) float coefficient[1024];
__device__ void fill(const float* in) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) coefficient[i] = in[i];
  __syncthreads();
}
extern "C" __global__ void planted(const float* in, float* out, int n) {
  fill(in);
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at & 1023], sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const volatile float* c = coefficient + (k & 255) * 4;
    const float a = c[0], b = c[1], d = c[2], e = c[3];  // defect
    sum += a * x + b;
    sum += d * x + e;
  }
  out[at] = sum;
}
extern "C" __global__ void repaired(const float* in, float* out, int n) {
  fill(in);
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[at & 1023], sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const float4 c = reinterpret_cast<const float4*>(coefficient)[k & 255];
    sum += c.x * x + c.y;
    sum += c.z * x + c.w;
  }
  out[at] = sum;
}
