// SPDX-License-Identifier: Apache-2.0
// Loads that hit: by stride and by width of blocks in L1, and sets of some size that all SMs read again and again.

// Eight loads a turn of one thread, four apart; `zero` is 0, so that every turn reads the same.
#define EIGHT_LOADS(p)                                                                   \
  sum += p[0] * p[4];                                                                    \
  sum += p[8] * p[12];                                                                   \
  sum += p[20] * p[16];                                                                  \
  sum += p[24] * p[28];

template <class T>
__device__ void turns(T* p, T* out, int n, int zero) {
  T sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i += 8) {
    p += zero;
    EIGHT_LOADS(p)
  }
  if (sum == T(123123.23)) out[threadIdx.x] = sum;
}
extern "C" __global__ void stride32(float* a, float* out, int n, int zero, int stride) { turns(a + (threadIdx.x % 64) * stride, out, n, zero); }
extern "C" __global__ void stride64(double* a, double* out, int n, int zero, int stride) { turns(a + (threadIdx.x % 64) * stride, out, n, zero); }
extern "C" __global__ void block32(float* a, float* out, int n, int zero, int pitch) {
  turns(a + threadIdx.x % 64 + (threadIdx.y % 32) * pitch + pitch, out, n, zero);
}
extern "C" __global__ void block64(double* a, double* out, int n, int zero, int pitch) {
  turns(a + threadIdx.x % 64 + (threadIdx.y % 32) * pitch + pitch, out, n, zero);
}

// Every block reads the same 2 x `count` elements, `turns` times.
extern "C" __global__ void reread32(float* __restrict__ out, const float* __restrict__ a, int count, int turns, int zero) {
  float sum = 0;
  a += threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
    a += zero;
    const float* b = a + count;
#pragma unroll 8
    for (int i = 0; i < count; i += 1024) sum += a[i] * b[i];
    sum *= 1.3f;
  }
  if (sum == 1233.0f) out[threadIdx.x] += sum;
}
// Blocks go through the set one behind the other: block b reads part b % run.
extern "C" __global__ void through64(double* __restrict__ out, const double* __restrict__ a, int run) {
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const int at = (blockDim.x * run * i + (blockIdx.x % run) * 1024) * 2 + threadIdx.x;
    sum += a[at] * a[at + 1024];
  }
  sum *= 1.3;
  if (threadIdx.x > 1233 || sum == 23.12) out[threadIdx.x] += sum;
}
// Shared memory, a float or four of them a thread and access.
extern "C" __global__ void shared32(float* out, int turns) {
  __shared__ float s[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = i;
  __syncthreads();
  float sum = 0;
  int at = threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 16; ++u) sum += *(volatile float*)&s[(at + 32 * u) % 2048];
  }
  if (sum == 1.5f) out[at] = sum;
}
extern "C" __global__ void store_shared64(float* out, int turns) {
  __shared__ float2 s[2048];
  const float2 x = {1.0f * threadIdx.x, 2.0f};
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 16; ++u)
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_shared(&s[(threadIdx.x + 32 * u) % 2048])), "f"(x.x), "f"(x.y) : "memory");
  }
  __syncthreads();
  if (s[threadIdx.x].x == 1.5f) out[threadIdx.x] = s[threadIdx.x].y;
}
extern "C" __global__ void shared128(float* out, int turns) {
  __shared__ float4 s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = {1.0f * i, 2.0f, 3.0f, 4.0f};
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 16; ++u) {
      float x, y, z, w;  // all four come with one access
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(__cvta_generic_to_shared(&s[(threadIdx.x + 32 * u) % 1024])));
      sum += x + y + z + w;
    }
  }
  if (sum == 1.5f) out[threadIdx.x] = sum;
}
