// SPDX-License-Identifier: Apache-2.0
// A blend of halves, one a thread and turn. Repaired, a thread takes eight at once and computes in pairs.
#include <cuda_fp16.h>
extern "C" __global__ void planted(const __half* a, const __half* b, __half* out, int n) {
  const __half w = __float2half(0.75f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = __hfma(a[i], w, b[i]);  // defect
}
extern "C" __global__ void repaired(const uint4* a, const uint4* b, uint4* out, int n) {
  const __half2 w = __float2half2_rn(0.75f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x) {
    uint4 x = a[i], y = b[i], z;
    const __half2 *p = reinterpret_cast<__half2*>(&x), *q = reinterpret_cast<__half2*>(&y);
    __half2* r = reinterpret_cast<__half2*>(&z);
#pragma unroll
    for (int k = 0; k < 4; ++k) r[k] = __hfma2(p[k], w, q[k]);
    out[i] = z;
  }
}
