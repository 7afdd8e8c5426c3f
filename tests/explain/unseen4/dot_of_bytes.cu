// SPDX-License-Identifier: Apache-2.0
// Products of quantised rows, a byte at a time. Repaired, four bytes by one instruction (__dp4a).
extern "C" __global__ void planted(const char4* a, const char4* w, int* out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  char4 p[8];
  for (int k = 0; k < 8; ++k) p[k] = a[k * 1024 + i];
  for (int row = 0; row < rows; ++row) {
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const char4 q = w[row * 8 + k];
      sum += p[k].x * q.x + p[k].y * q.y + p[k].z * q.z + p[k].w * q.w;  // defect
    }
    out[row * 1024 + i] = sum;
  }
}
extern "C" __global__ void repaired(const int* a, const int* w, int* out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int p[8];
  for (int k = 0; k < 8; ++k) p[k] = a[k * 1024 + i];
  for (int row = 0; row < rows; ++row) {
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sum = __dp4a(p[k], w[row * 8 + k], sum);
    out[row * 1024 + i] = sum;
  }
}
