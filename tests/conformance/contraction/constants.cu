// SPDX-License-Identifier: Apache-2.0
// Products outside a loop whose sums are in it: which of them ptxas contracts (README.md).
__constant__ float cc[64];
extern "C" __global__ void square_global(float* o, const float* in, int n) {
  float a = in[threadIdx.x];
  float s = a * a;
  float x = 0;
  for (int i = 0; i < n; ++i) {
    float v = in[i * 64 + threadIdx.x];
    if (v > 0) x += sqrtf(v + s);
  }
  o[threadIdx.x] = x;
}
extern "C" __global__ void const_times(float* o, const float* in, int n) {
  float a = in[threadIdx.x];
  float s = a * cc[3];
  float x = 0;
  for (int i = 0; i < n; ++i) {
    float v = in[i * 64 + threadIdx.x];
    if (v > 0) x += sqrtf(v + s);
  }
  o[threadIdx.x] = x;
}
extern "C" __global__ void const_square(float* o, const float* in, int n) {
  float s = cc[3] * cc[3];
  float x = 0;
  for (int i = 0; i < n; ++i) {
    float v = in[i * 64 + threadIdx.x];
    if (v > 0) x += sqrtf(v + s);
  }
  o[threadIdx.x] = x;
}
extern "C" __global__ void const_two(float* o, const float* in, int n) {
  float s = cc[3] * cc[5];
  float x = 0;
  for (int i = 0; i < n; ++i) {
    float v = in[i * 64 + threadIdx.x];
    if (v > 0) x += sqrtf(v + s);
  }
  o[threadIdx.x] = x;
}
extern "C" __global__ void param_times(float* o, const float* in, int n, float p) {
  float a = in[threadIdx.x];
  float s = a * p;
  float x = 0;
  for (int i = 0; i < n; ++i) {
    float v = in[i * 64 + threadIdx.x];
    if (v > 0) x += sqrtf(v + s);
  }
  o[threadIdx.x] = x;
}
extern "C" __global__ void square_same(float* o, const float* in, int n) {
  float a = in[threadIdx.x];
  float s = a * a;
  float v = in[64 + threadIdx.x];
  if (n > 3) {
    v = v + s;
  }
  o[threadIdx.x] = v;
}
extern "C" __global__ void const_index(float* o, const float* in, int n) {
  float a = in[threadIdx.x];
  float s = a * cc[threadIdx.x];
  float x = 0;
  for (int i = 0; i < n; ++i) {
    float v = in[i * 64 + threadIdx.x];
    if (v > 0) x += sqrtf(v + s);
  }
  o[threadIdx.x] = x;
}
