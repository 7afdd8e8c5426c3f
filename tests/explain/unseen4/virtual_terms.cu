// SPDX-License-Identifier: Apache-2.0
// Terms of an energy behind an interface with virtual functions, called for every pair. Repaired, the kind of term is an
// argument of a template, so the compiler sees the body.
#include <new>
struct Term {
  __device__ virtual float of(float d) const = 0;
};
struct Spring final : Term {
  float k;
  __device__ explicit Spring(float k) : k(k) {}
  __device__ float of(float d) const override { return k * d * d; }
};
struct Wall final : Term {
  float k;
  __device__ explicit Wall(float k) : k(k) {}
  __device__ float of(float d) const override { return k * fmaxf(d, 0.0f); }
};
struct alignas(16) Room {
  char bytes[16];
};
__device__ void make(Room* at, int kind) {
  if (kind)
    new (at) Wall(2.0f);
  else
    new (at) Spring(0.5f);
}
extern "C" __global__ void planted(const float* at, float* out, Room* terms, int n, int kind) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) make(terms + blockIdx.x, kind);
  tile[threadIdx.x] = at[threadIdx.x];
  __syncthreads();
  const Term* term = reinterpret_cast<const Term*>(terms + blockIdx.x);
  const float x = at[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += term->of(x - tile[k]);  // defect
  out[i] = sum;
}
template <class T>
__device__ void energy(const float* at, float* out, int n, const T& term) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = at[threadIdx.x];
  __syncthreads();
  const float x = at[i];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += term.of(x - tile[k]);
  out[i] = sum;
}
extern "C" __global__ void repaired(const float* at, float* out, Room* terms, int n, int kind) {
  energy(at, out, n, Spring(0.5f));
}
